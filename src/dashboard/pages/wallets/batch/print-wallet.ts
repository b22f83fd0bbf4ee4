import type { Wallet } from '../../../../../generated/wallets/types.ts';

/** Formats of a file of wallets. */
export type FileFormat = 'jsonl' | 'csv';

/** Columns of a CSV, as the wallet service names and orders them. */
const COLUMNS = [
  'address',
  'custody',
  'wallet_id',
  'secret_key',
  'mnemonic',
  'derivation_path',
  'created_at',
] as const;

const LINE_END: Readonly<Record<FileFormat, string>> = { jsonl: '\n', csv: '\r\n' };

/** Returns the beginning of a file. */
export function printHead(format: FileFormat): string {
  return format === 'csv' ? `${COLUMNS.join(',')}${LINE_END.csv}` : '';
}

/** Returns the line of a wallet, with its line end: JSON, or CSV (RFC 4180). */
export function printWallet(format: FileFormat, wallet: Wallet): string {
  const line =
    format === 'jsonl'
      ? JSON.stringify(wallet)
      : COLUMNS.map((name) => quote(memberText(wallet, name))).join(',');
  return `${line}${LINE_END[format]}`;
}

function memberText(wallet: Wallet, name: (typeof COLUMNS)[number]): string {
  const members: Readonly<Record<string, unknown>> = wallet;
  const value = members[name];
  return value === undefined ? '' : String(value);
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
