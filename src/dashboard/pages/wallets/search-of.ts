import { isBase58 } from '../../../../runtime/base58.ts';

const ADDRESS_BYTES = 32;

/** Returns the filter of the list that a text searches: the address if it is one, else a part of the label. */
export function searchOf(text: string): { readonly address?: string; readonly label?: string } {
  const wanted = text.trim();
  if (wanted === '') return {};
  return isBase58(wanted, ADDRESS_BYTES) ? { address: wanted } : { label: wanted };
}
