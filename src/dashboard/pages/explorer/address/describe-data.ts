import type { AccountData } from '../../../../../generated/ledger/types.ts';

/** The data of an account, as far as the node could read it. */
export type DescribedData =
  | { readonly kind: 'parsed'; readonly program: string; readonly parsed: unknown }
  | { readonly kind: 'bytes'; readonly encoding: string; readonly text: string; readonly left: number };

/** Characters of raw data that are shown: an account may have 10 MB. */
const MAX_CHARACTERS = 8_000;

/** Returns the data of an account to show; undefined if it has none. */
export function describeData(data: AccountData): DescribedData | undefined {
  if (typeof data === 'string') return bytes(data, 'base58');
  if (isEncoded(data)) {
    const [text, encoding] = data;
    return bytes(text, encoding);
  }
  return { kind: 'parsed', program: data.program, parsed: data.parsed };
}

function isEncoded(data: Exclude<AccountData, string>): data is Extract<AccountData, readonly unknown[]> {
  return Array.isArray(data);
}

function bytes(text: string, encoding: string): DescribedData | undefined {
  if (text === '') return undefined;
  const left = Math.max(text.length - MAX_CHARACTERS, 0);
  return { kind: 'bytes', encoding, text: text.slice(0, MAX_CHARACTERS), left };
}
