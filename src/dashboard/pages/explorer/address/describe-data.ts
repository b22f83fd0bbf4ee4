import type { AccountData } from '../../../../../generated/ledger/types.ts';

/** The data of an account, as far as the node could read it. */
export type DescribedData =
  | { readonly kind: 'parsed'; readonly program: string; readonly parsed: unknown }
  | { readonly kind: 'bytes'; readonly encoding: string; readonly text: string };

/** Returns the data of an account to show; undefined if it has none. */
export function describeData(data: AccountData): DescribedData | undefined {
  if (typeof data === 'string')
    return data === '' ? undefined : { kind: 'bytes', encoding: 'base58', text: data };
  if (isEncoded(data)) {
    const [text, encoding] = data;
    return text === '' ? undefined : { kind: 'bytes', encoding, text };
  }
  return { kind: 'parsed', program: data.program, parsed: data.parsed };
}

function isEncoded(data: Exclude<AccountData, string>): data is Extract<AccountData, readonly unknown[]> {
  return Array.isArray(data);
}
