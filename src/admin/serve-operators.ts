import { randomUUID } from 'node:crypto';
import { appendAudit } from '../account/audit/append-audit.ts';
import { createAccount } from '../account/create-account.ts';
import { type DecisionDeps, grantLimitRequest, refuseLimitRequest } from '../account/decide-limit-request.ts';
import { findAccount } from '../account/find-account.ts';
import { type NamedLimitRequest, readOpenLimitRequests } from '../account/limit-requests.ts';
import { setOperates } from '../account/operators.ts';
import { readAccount, readAccounts } from '../account/read-accounts.ts';
import type { TokenRing } from '../account/tokens/token-ring.ts';
import { printCursor } from '../base/list-cursor.ts';
import { utcMonth } from '../base/utc-month.ts';
import type { StoreTransaction } from '../store/transaction.ts';
import type { OperatorRequest } from './operator-request.ts';

/** The parts of the server that these requests act on. */
export type OperatorCommandDeps = Omit<DecisionDeps, 'record'> & { readonly tokens: TokenRing };

/** The most open requests for higher limits that are listed. */
const LISTED = 1_000;

/** Does what a request about accounts and their operator asks. Changes are records in the audit log of the account. */
export async function serveOperators(
  deps: OperatorCommandDeps,
  request: OperatorRequest,
  nowMs: number,
): Promise<unknown> {
  const { store, plans } = deps;
  switch (request.kind) {
    case 'accounts.create': {
      const { account: name, plan, operates } = request;
      const record = recordIn(nowMs, 'createaccount');
      const id = await createAccount({ store, plans, record }, { name, plan }, nowMs);
      if (operates) await operate(deps, id, { operates, nowMs });
      return { id, account: name, plan: plans.planOf(id).name, operates, created_at: new Date(nowMs) };
    }
    case 'accounts.list': {
      const { after, limit } = request;
      const found = await readAccounts(store, { after, limit: limit + 1, month: utcMonth(nowMs) });
      const rows = found.slice(0, limit);
      const last = found.length > limit ? rows.at(-1) : undefined;
      const accounts = rows.map(({ id, name, operates, createdAt, needsCreditLimit }) => ({
        ...{ id, account: name, plan: plans.planOf(id).name, operates, needs_credit_limit: needsCreditLimit },
        created_at: createdAt,
      }));
      return { accounts, ...(last && { next_cursor: printCursor({ at: last.createdAt, id: last.id }) }) };
    }
    case 'accounts.operator': {
      const { account, operates } = request;
      await operate(deps, await findAccount(store, account), { operates, nowMs });
      return { account, operates };
    }
    case 'accounts.operator.show': {
      const { account } = request;
      const { operates } = await readAccount(store, await findAccount(store, account));
      return { account, operates };
    }
    case 'limits.requests': {
      const open = await readOpenLimitRequests(store, { after: undefined, limit: LISTED });
      return { limit_requests: open.map(show) };
    }
    case 'limits.grant': {
      const record = recordDecision(nowMs, 'grantlimitrequest');
      return show(await grantLimitRequest({ ...deps, record }, request.id, nowMs));
    }
    case 'limits.refuse': {
      const record = recordDecision(nowMs, 'refuselimitrequest');
      return show(await refuseLimitRequest({ store, record }, request, nowMs));
    }
  }
}

async function operate(
  { store, tokens }: OperatorCommandDeps,
  accountId: string,
  { operates, nowMs }: { readonly operates: boolean; readonly nowMs: number },
): Promise<void> {
  await setOperates({ store, tokens, record: recordIn(nowMs, 'operate') }, { accountId, operates });
}

/** Appends to the log of the account whose id is given. */
function recordIn(nowMs: number, action: string) {
  const append = recordDecision(nowMs, action);
  return (tx: StoreTransaction, accountId: string) => append(tx, { accountId, id: accountId });
}

/** A command has no token, and no request id but one that is made for its records. */
function recordDecision(nowMs: number, action: string): DecisionDeps['record'] {
  const requestId = `cmd_${randomUUID()}`;
  return (tx, { id: subject, accountId }) =>
    appendAudit(tx, accountId, [{ action, outcome: 'ok', requestId, subject }], nowMs);
}

function show(request: NamedLimitRequest) {
  const { id, account, kind, wanted, reason, state, answer, createdAt, decidedAt } = request;
  return {
    ...{ id, account, limit: kind, wanted, reason, state, answer },
    ...{ created_at: createdAt, decided_at: decidedAt },
  };
}
