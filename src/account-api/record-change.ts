import { appendAudit } from '../account/audit/append-audit.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import type { AccountContext } from './account-context.ts';

/** Returns a function that appends a change of a key or a token to the audit log, in the transaction that makes it. */
export function recordChange(
  { caller: { accountId, tokenId, memberId, requestId }, clock }: AccountContext,
  action: string,
): (tx: StoreTransaction, subject: string) => Promise<void> {
  return (tx, subject) => {
    const fact = { action, outcome: 'ok', tokenId, memberId, requestId, subject };
    return appendAudit(tx, accountId, [fact], clock.nowMs());
  };
}
