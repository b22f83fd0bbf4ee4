import { type AuditFact, appendAudit, appendAuditInOwnTransaction } from '../account/audit/append-audit.ts';
import { type AccountFact, appendAudits } from '../account/audit/append-audits.ts';
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
    await appendAudits(tx, accountId === caller.accountId ? [own] : [own, theirs], clock.nowMs());
  };
}

/** Returns the record of a change in the log of the caller, for work that appends it with others of its own. */
export function ownFact(context: AccountContext, action: string, subject: string): AccountFact {
  return { accountId: context.caller.accountId, fact: factOf(context, action, subject) };
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
