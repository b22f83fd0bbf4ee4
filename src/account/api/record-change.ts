import {
  type AuditFact,
  type AccountFact,
  appendAuditInOwnTransaction,
  appendAudits,
} from '../audit/append-audit.ts';
import type { RecordChanges } from '../identity/api-keys/api-keys.ts';
import { NO_ACCOUNT } from '../identity/refusal-log.ts';
import { operatingAccounts } from '../identity/operators.ts';
import type { StoreTransaction } from '../../store/transaction.ts';
import type { AccountCaller, OperationContext } from './account-context.ts';

/** Changes that are not recorded when a command makes them. */
const NOT_BY_COMMANDS: ReadonlySet<string> = new Set([
  'createkey',
  'revokekey',
  'revoketoken',
  'putplan',
  'deleteplan',
  'setaccountplan',
  'setaccountlimits',
]);

/**
 * Returns a function that appends a change of something with an id to the audit log, in the transaction that makes it. A change of the
 * server by a command is appended to the logs of all accounts that operate it.
 */
export function recordChange(context: OperationContext, action: string): RecordChanges {
  const { caller, clock } = context;
  if (isUnrecorded(caller, action)) return async () => undefined;
  return async (tx, subject, changes) => {
    const fact = { ...factOf(context, action, subject), changes };
    const logs = caller.accountId === NO_ACCOUNT ? await operatingAccounts(tx) : [caller.accountId];
    await appendAudits(
      tx,
      logs.map((accountId) => ({ accountId, fact })),
      clock.nowMs(),
    );
  };
}

/**
 * Returns a function that appends what an operator does to an account to the audit logs of both, in the transaction that does it. The
 * record of the account names neither the operator's token nor its member; both have the id of the request. A command has no log of its own.
 *
 * @param accountAction its name in the log of the account.
 */
export function recordOperation(
  context: OperationContext,
  action: string,
  accountAction = action,
): (tx: StoreTransaction, accountId: string, subject?: string) => Promise<void> {
  const { caller, clock } = context;
  if (isUnrecorded(caller, action)) return async () => undefined;
  return async (tx, accountId, subject = accountId) => {
    const { requestId } = caller;
    const theirs = { accountId, fact: { action: accountAction, outcome: 'ok', requestId, subject } };
    const own = { accountId: caller.accountId, fact: factOf(context, action, subject) };
    const facts = caller.isCommand ? [theirs] : accountId === caller.accountId ? [own] : [own, theirs];
    await appendAudits(tx, facts, clock.nowMs());
  };
}

/** Returns the record of a change in the log of the caller, for work that appends it with others of its own. */
export function ownFact(context: OperationContext, action: string, subject: string): AccountFact {
  return { accountId: context.caller.accountId, fact: factOf(context, action, subject) };
}

/** Appends what an operator reads to its audit log. What commands read is not recorded. */
export async function recordRead(context: OperationContext, action: string, subject?: string): Promise<void> {
  const { caller, clock, store } = context;
  if (caller.isCommand) return;
  const fact = factOf(context, action, subject);
  await appendAuditInOwnTransaction(store, caller.accountId, [fact], clock.nowMs());
}

function isUnrecorded({ isCommand }: AccountCaller, action: string): boolean {
  return isCommand === true && NOT_BY_COMMANDS.has(action);
}

function factOf(
  { caller: { tokenId, memberId, requestId }, request: { address } }: OperationContext,
  action: string,
  subject?: string,
): AuditFact {
  return { action, outcome: 'ok', tokenId, memberId, requestId, address, subject };
}
