import type { Ledger } from './ledger.ts';
import { signatureOf } from './blocks/transaction-index.ts';
import type { TransactionRecord } from './model.ts';
import { errorText } from './transaction/error-text.ts';
import { isVote } from './validator/is-vote.ts';

/** Prints each transaction that lands, except votes, with the logs of its programs. */
export function logTransactions(ledger: Ledger, write: (text: string) => void): void {
  ledger.follow({
    landed: (record) => {
      if (!isVote(record.transaction)) write(transactionText(record));
    },
    advanced: () => undefined,
  });
}

/** Returns a transaction as lines: slot, signature, outcome, fee in lamports and compute units, then its logs. */
export function transactionText(record: TransactionRecord): string {
  const { err, fee, computeUnitsConsumed, logs } = record.meta;
  const outcome = err === null ? 'ok' : errorText(err);
  const head = `slot ${record.slot}  ${signatureOf(record)}  ${outcome}`;
  const lines = [
    `${head}  (fee ${fee}, ${computeUnitsConsumed} units)`,
    ...logs.map((line) => `    ${line}`),
  ];
  return `${lines.join('\n')}\n`;
}
