import { isBase58 } from '../../../../runtime/base58.ts';

/** A recognised item of a ledger. */
export type Recognised =
  | { readonly kind: 'address' | 'signature'; readonly text: string }
  | { readonly kind: 'slot'; readonly slot: bigint };

const ADDRESS_BYTES = 32;
const SIGNATURE_BYTES = 64;
const MAX_SLOT = 2n ** 64n - 1n;

/** Recognises an address, a signature, or a slot, which may have separators; undefined for other text. */
export function recognise(text: string): Recognised | undefined {
  const wanted = text.trim();
  const digits = wanted.replace(/[,\s_]/g, '');
  if (/^\d{1,20}$/.test(digits) && BigInt(digits) <= MAX_SLOT) return { kind: 'slot', slot: BigInt(digits) };
  if (isBase58(wanted, ADDRESS_BYTES)) return { kind: 'address', text: wanted };
  if (isBase58(wanted, SIGNATURE_BYTES)) return { kind: 'signature', text: wanted };
  return undefined;
}

/** Returns its text in the address of its page. */
export function pathText(recognised: Recognised): string {
  return recognised.kind === 'slot' ? recognised.slot.toString() : recognised.text;
}
