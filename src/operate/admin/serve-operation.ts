import { randomUUID } from 'node:crypto';
import { BODY_CHECKS } from '../../../generated/account/body-checks.js';
import type { AccountAnswers, AccountHandler, AccountRequest } from '../../../generated/account/handlers.ts';
import { type OperationId, OPERATIONS } from '../../../generated/account/operations.ts';
import { type BodyCheck, checkAgainstBody } from '../../../runtime/check-body.ts';
import { ensureAccount } from '../../account/accounts/accounts.ts';
import { findAccount } from '../../account/accounts/find-account.ts';
import type { OperationContext, WebhookParts } from '../../account/api/account-context.ts';
import { announceWork } from '../../account/api/operations/announceWork.ts';
import { cancelWork } from '../../account/api/operations/cancelWork.ts';
import { changeBillingSettings } from '../../account/api/operations/changeBillingSettings.ts';
import { createAccount } from '../../account/api/operations/createAccount.ts';
import { createKey } from '../../account/api/operations/createKey.ts';
import { createWebhook } from '../../account/api/operations/createWebhook.ts';
import { deletePlan } from '../../account/api/operations/deletePlan.ts';
import { deleteWebhook } from '../../account/api/operations/deleteWebhook.ts';
import { getBillingSettings } from '../../account/api/operations/getBillingSettings.ts';
import { grantLimitRequest } from '../../account/api/operations/grantLimitRequest.ts';
import { listAccounts } from '../../account/api/operations/listAccounts.ts';
import { listAllInvoices } from '../../account/api/operations/listAllInvoices.ts';
import { listAuditRecords } from '../../account/api/operations/listAuditRecords.ts';
import { listEntries } from '../../account/api/operations/listEntries.ts';
import { listInvoices } from '../../account/api/operations/listInvoices.ts';
import { listMembers } from '../../account/api/operations/listMembers.ts';
import { listOpenLimitRequests } from '../../account/api/operations/listOpenLimitRequests.ts';
import { listPlannedWork } from '../../account/api/operations/listPlannedWork.ts';
import { listPlans } from '../../account/api/operations/listPlans.ts';
import { listRequests } from '../../account/api/operations/listRequests.ts';
import { listStatements } from '../../account/api/operations/listStatements.ts';
import { listWebhooks } from '../../account/api/operations/listWebhooks.ts';
import { putPlan } from '../../account/api/operations/putPlan.ts';
import { readAccount } from '../../account/api/operations/readAccount.ts';
import { readAnyInvoice } from '../../account/api/operations/readAnyInvoice.ts';
import { recordParams } from '../../account/api/operations/recordParams.ts';
import { refuseLimitRequest } from '../../account/api/operations/refuseLimitRequest.ts';
import { replayWebhook } from '../../account/api/operations/replayWebhook.ts';
import { revokeKey } from '../../account/api/operations/revokeKey.ts';
import { revokeToken } from '../../account/api/operations/revokeToken.ts';
import { rotateWebhookSecret } from '../../account/api/operations/rotateWebhookSecret.ts';
import { setAccountLimits } from '../../account/api/operations/setAccountLimits.ts';
import { setAccountPlan } from '../../account/api/operations/setAccountPlan.ts';
import { setBilling } from '../../account/api/operations/setBilling.ts';
import { testWebhook } from '../../account/api/operations/testWebhook.ts';
import { updateKey } from '../../account/api/operations/updateKey.ts';
import { updateWebhook } from '../../account/api/operations/updateWebhook.ts';
import { isUuid } from '../../account/api/uuid.ts';
import { NO_ACCOUNT } from '../../account/identity/refusal-log.ts';
import { isOperatorScope, SCOPES } from '../../account/identity/tokens/scopes.ts';
import type { Clock } from '../../core/clock.ts';
import { serviceError } from '../../core/service-error.ts';
import { planFault } from '../../server/access/weigh.ts';
import { accessTokens } from '../../store/access-tables.ts';
import { eq } from '../../store/drizzle.ts';
import { MAX_LIMIT } from '../../store/list-page.ts';
import type { Store } from '../../store/open-store.ts';
import { apiKeys } from '../../store/tables.ts';
import { webhooks } from '../../store/webhook-tables.ts';

/** The operations of the account service that commands call. None needs a session or a client. */
const HANDLERS = {
  announceWork,
  cancelWork,
  changeBillingSettings,
  createAccount,
  createKey,
  createWebhook,
  deletePlan,
  deleteWebhook,
  getBillingSettings,
  grantLimitRequest,
  listAccounts,
  listAllInvoices,
  listAuditRecords,
  listEntries,
  listInvoices,
  listMembers,
  listOpenLimitRequests,
  listPlannedWork,
  listPlans,
  listRequests,
  listStatements,
  listWebhooks,
  putPlan,
  readAccount,
  readAnyInvoice,
  recordParams,
  refuseLimitRequest,
  replayWebhook,
  revokeKey,
  revokeToken,
  rotateWebhookSecret,
  setAccountLimits,
  setAccountPlan,
  setBilling,
  testWebhook,
  updateKey,
  updateWebhook,
} satisfies { readonly [O in OperationId]?: AccountHandler<OperationContext, O> };

export type CommandOperation = keyof typeof HANDLERS;

/** A request for an operation of the account service. Its handler checks what the path and the query name. */
export type OperationRequest<O extends CommandOperation = CommandOperation> = {
  readonly operation: O;
  /** Name of the account that the operation acts for or, if it is an operator's, on. */
  readonly account?: string;
  /** True if the account is created if it does not exist. */
  readonly isNew?: true;
  /** The id in the path, of something else than an account. */
  readonly id?: string;
} & (AccountRequest<O>['body'] extends undefined ? unknown : { readonly body: AccountRequest<O>['body'] }) &
  (AccountRequest<O>['query'] extends undefined ? unknown : { readonly query: AccountRequest<O>['query'] });

/** The answer of an operation. */
export type Answer<O extends CommandOperation> = Extract<
  AccountAnswers[O],
  { readonly kind: 'json' }
>['body'];

/** The parts of the server that operations act on. */
export type OperationDeps = Pick<
  OperationContext,
  'store' | 'keyring' | 'tokens' | 'plans' | 'limits' | 'useLimits' | 'flushRequests' | 'recordedParams'
> &
  Pick<WebhookParts, 'installationKey'> & {
    /** Undefined where no server runs that knows the ledgers. */
    readonly ledgers?: WebhookParts['ledgers'];
  };

const NO_BOUNDS = { max_keys: Number.POSITIVE_INFINITY, max_tokens: Number.POSITIVE_INFINITY };
/** The owner may name any address; the server's settings decide where events are really sent. */
const ANYWHERE = { any: () => true, plain: () => true };
const NO_LEDGERS: WebhookParts['ledgers'] = {
  get networks(): never {
    throw mistake(
      '--address, --program, --signature and --network need a running server, which knows the ledgers',
    );
  },
  startOf: async () => undefined,
};

/**
 * Serves an operation of the account service with the authority of the owner of the data directory: every scope, no bounds on keys, any
 * address for webhooks, and no account of its own.
 *
 * @returns its answer.
 * @throws ServiceError `invalidCommand` for an operation that commands do not call, and for an invalid body; `accountNotFound`; the error of
 *   an id that does not exist; the errors of the operation.
 */
export async function serveOperation(
  deps: OperationDeps,
  request: OperationRequest,
  clock: Clock,
): Promise<unknown> {
  const { operation, id = '' } = request;
  if (!Object.hasOwn(HANDLERS, operation))
    throw mistake('the server does not know this command; it may run another version');
  const given = { form: 'json', ...readPayload(request), twoFactorCode: undefined };
  const accountId = await accountOf(deps.store, request, clock.nowMs());
  const isOfOperators = OPERATIONS[operation].scopes.some(isOperatorScope);
  if (!isOfOperators && accountId === undefined) throw mistake(`${operation}: expected an account`);
  const requestId = `cmd_${randomUUID()}`;
  const { installationKey, ledgers = NO_LEDGERS, ...shared } = deps;
  const context: OperationContext = {
    ...shared,
    planFault,
    payLater: async () => false,
    bounds: NO_BOUNDS,
    webhooks: { installationKey, ledgers, allowedFor: async () => ANYWHERE },
    clock,
    caller: {
      accountId: isOfOperators ? NO_ACCOUNT : (accountId ?? NO_ACCOUNT),
      scopes: new Set(SCOPES),
      requestId,
      isCommand: true,
    },
    request: { requestId, nowMs: clock.nowMs() },
  };
  // The request type of an operation is checked where it is handled: generated/account/handlers.ts.
  const handle = HANDLERS[operation] as AccountHandler<OperationContext, CommandOperation>;
  const wanted = { ...given, id: isOfOperators ? (accountId ?? id) : id };
  const answer = await handle(context, wanted as Parameters<typeof handle>[1]);
  if (answer.kind !== 'json') throw new Error(`${operation} answers with bytes`);
  return answer.body;
}

/** Checks the body as the account service does. Handlers check cursors, instants and ids of the query themselves. */
function readPayload(request: OperationRequest): { readonly body: unknown; readonly query: unknown } {
  const { body = {}, query = {} } = request as { readonly body?: object; readonly query?: object };
  const { limit = MAX_LIMIT } = query as { readonly limit?: unknown };
  if (!Number.isInteger(limit) || Number(limit) < 1 || Number(limit) > MAX_LIMIT)
    throw mistake(`--limit must be a whole number from 1 to ${MAX_LIMIT}, got ${JSON.stringify(limit)}`);
  const checks: Readonly<Record<string, BodyCheck>> = BODY_CHECKS;
  const check = checks[request.operation];
  if (check === undefined) return { body: undefined, query };
  const checked = checkAgainstBody(check, body);
  if (checked.kind === 'problems') {
    const [{ pointer, detail } = { pointer: '', detail: 'is invalid' }] = checked.problems;
    throw mistake(`${request.operation}: ${pointer} ${detail}; the command may be of another version`);
  }
  return { body: checked.body, query };
}

/** Returns the account that a request names, or that has what its id names. */
async function accountOf(
  store: Store,
  { operation, account, isNew, id = '' }: OperationRequest,
  nowMs: number,
): Promise<string | undefined> {
  if (account !== undefined)
    return isNew ? ensureAccount(store, account, nowMs) : findAccount(store, account);
  const owned = OWNED.find(({ operations }) => operations.some((each) => each === operation));
  if (owned === undefined) return undefined;
  const { table, missing } = owned;
  const [found] = isUuid(id)
    ? await store.db.select({ accountId: table.accountId }).from(table).where(eq(table.id, id))
    : [];
  if (found === undefined) throw serviceError(missing, { id });
  return found.accountId;
}

/** The tables of things that accounts own, the operations on one of them, and the error if it does not exist. */
export const OWNED = [
  { table: apiKeys, missing: 'keyNotFound', operations: ['revokeKey', 'updateKey'] },
  { table: accessTokens, missing: 'tokenNotFound', operations: ['revokeToken'] },
  {
    table: webhooks,
    missing: 'webhookNotFound',
    operations: ['updateWebhook', 'rotateWebhookSecret', 'replayWebhook', 'testWebhook', 'deleteWebhook'],
  },
] as const;

function mistake(reason: string): Error {
  return serviceError('invalidCommand', { reason });
}
