import { type AuditFact, appendAudit, appendAuditInOwnTransaction } from '../account/audit/append-audit.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import type { AccountContext } from './account-context.ts';

/** Returns a function that appends a change of something with an id to the audit log, in the transaction that makes it. */
export function recordChange(
  context: AccountContext,
  action: string,
): (tx: StoreTransaction, subject: string) => Promise<void> {
  const { caller, clock } = context;
  return (tx, subject) =>
    appendAudit(tx, caller.accountId, [factOf(context, action, subject)], clock.nowMs());
}

/**
 * Returns a function that appends what an operator does to an account to the audit logs of both, in the transaction that does it. The
 * record of the account names neither the operator's token nor its member; both have the id of the request.
 *
 * @param accountAction what the log of the account calls it.
 */
export function recordOperation(
  context: AccountContext,
  action: string,
  accountAction = action,
): (tx: StoreTransaction, accountId: string, subject?: string) => Promise<void> {
  const { caller, clock } = context;
  return async (tx, accountId, subject = accountId) => {
    const { requestId } = caller;
    const own = { accountId: caller.accountId, fact: factOf(context, action, subject) };
    const theirs = { accountId, fact: { action: accountAction, outcome: 'ok', requestId, subject } };
    // The ends of chains are locked in one order, so that operators who act on each other cannot wait for each other.
    const records = accountId === caller.accountId ? [own] : [own, theirs];
    for (const record of records.sort((a, b) => (a.accountId < b.accountId ? -1 : 1)))
      await appendAudit(tx, record.accountId, [record.fact], clock.nowMs());
  };
}

/** Appends what an operator reads to its audit log. */
export function recordRead(context: AccountContext, action: string, subject?: string): Promise<void> {
  const { caller, clock, store } = context;
  const fact = factOf(context, action, subject);
  return appendAuditInOwnTransaction(store, caller.accountId, [fact], clock.nowMs());
}

function factOf(
  { caller: { tokenId, memberId, requestId }, request: { address } }: AccountContext,
  action: string,
  subject?: string,
): AuditFact {
  return { action, outcome: 'ok', tokenId, memberId, requestId, address, subject };
}
