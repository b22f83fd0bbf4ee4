import type { ManagedWallet } from '../../../generated/wallets/types.ts';
import type { StreamAnswer } from '../../../runtime/rest-operation.ts';
import { CSV_HEADER } from '../../core/keys/pool.ts';
import type { WalletRow } from '../wallet-row.ts';

/** Returns a managed wallet as it is handed out on creation. */
export function toManagedWallet({ address, id, derivationPath, label, createdAt }: WalletRow): ManagedWallet {
  return {
    address,
    custody: 'managed',
    wallet_id: id,
    ...(derivationPath === null ? {} : { derivation_path: derivationPath }),
    ...(label === null ? {} : { label }),
    created_at: createdAt.toISOString(),
  };
}

/** Prints wallets as lines of a stream. A CSV begins with the same columns as that of client wallets. */
export function printLines(rows: readonly WalletRow[], form: StreamAnswer['form'], isFirst: boolean): Buffer {
  if (form === 'jsonl')
    return Buffer.from(rows.map((row) => `${JSON.stringify(toManagedWallet(row))}\n`).join(''));
  return Buffer.from((isFirst ? CSV_HEADER : '') + rows.map(printCsvLine).join(''));
}

/** RFC 4180; none of the values contains a comma, a quote or a line end. */
function printCsvLine({ address, id, derivationPath, createdAt }: WalletRow): string {
  return `${address},managed,${id},,,${derivationPath ?? ''},${createdAt.toISOString()}\r\n`;
}
