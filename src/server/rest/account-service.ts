import { ACCOUNT_HANDLERS } from '../../../generated/account/account-handlers.ts';
import { BODY_CHECKS } from '../../../generated/account/body-checks.js';
import { accountContract } from '../../../generated/account/contract.ts';
import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { BODY_MEMBERS, type OperationId, OPERATIONS } from '../../../generated/account/operations.ts';
import { QUERY_CHECKS } from '../../../generated/account/query-checks.js';
import { PLANS } from '../../../generated/plans.ts';
import type { AccountCaller, AccountContext, AccountDeps } from '../../account/api/account-context.ts';
import { scopesOf } from '../../account/identity/members/role-scopes.ts';
import { NO_ACCOUNT } from '../../account/identity/refusal-log.ts';
import {
  chargeRefused,
  countCall,
  type CallCounter,
  type CallLimit,
} from '../../account/plans/count-call.ts';
import { withActingStore } from '../../account/setup/acting-store.ts';
import { withStoreFaults } from '../../store/store-errors.ts';
import type { ClientAddress } from '../access/client-address.ts';
import type { BaseUrlOf } from '../http/base-url.ts';
import type { RestCaller } from './authenticate-caller.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { RateLimited, RestService } from './rest-endpoint.ts';
import { endedSessionCookie, sessionCookie } from './session-cookie.ts';

export type AccountServiceOptions = {
  readonly clientAddress: ClientAddress;
  readonly baseUrlOf: BaseUrlOf;
  readonly deps: AccountDeps;
  readonly rateLimit: CallCounter;
  readonly planOf: (accountId: string) => { readonly requestsPerSecond: number };
};

const { requests, window_seconds: WINDOW_SECONDS } = PLANS.account_limit;

/** A key with 100 networks and 100 origins is the largest. */
const MAX_BODY_BYTES = 128 * 1024;

/** Subject of store failures; the driver's own text would repeat all values that were to be stored. */
const WHERE = 'the account service';

/** The account service: everything below `/account/v1`. */
export function createAccountService(options: AccountServiceOptions): RestService {
  const { deps, rateLimit, planOf, baseUrlOf } = options;
  const limits = new Map<number, CallLimit>();
  const limitOf = (accountId: string): CallLimit => {
    const burst = Math.max(requests, planOf(accountId).requestsPerSecond);
    const known = limits.get(burst) ?? { name: 'account', requestsPerSecond: burst / WINDOW_SECONDS, burst };
    limits.set(burst, known);
    return known;
  };
  const limit: RateLimited = {
    policy: 'account',
    refusal: 'accountRateLimited',
    admit: (accountId) =>
      countCall(rateLimit, accountId, limitOf(accountId), WINDOW_SECONDS, 'accountRateLimited'),
    charge: (accountId, weight) => chargeRefused(rateLimit, accountId, limitOf(accountId), weight),
  };
  return {
    protocol: 'account',
    contract: accountContract,
    checks: { bodies: BODY_CHECKS, queries: QUERY_CHECKS, bodyMembers: BODY_MEMBERS },
    limitOf: () => limit,
    maxBodyBytes: MAX_BODY_BYTES,
    concurrency: new ConcurrencyLimit(PLANS.account_concurrency),
    operate: async ({ name, caller, wanted, request, reply }) => {
      const operation = name as OperationId;
      const baseUrl = baseUrlOf(request.raw);
      const nowMs = deps.clock.nowMs();
      const context: AccountContext = {
        ...(caller.kind === 'anyone'
          ? deps
          : withActingStore(deps, { ...caller, nowMs }, OPERATIONS[operation].scopes)),
        baseUrl,
        session: caller.kind === 'session' ? caller.session : undefined,
        caller: { ...toAccountCaller(caller), requestId: request.id },
        request: {
          requestId: request.id,
          address: options.clientAddress(request.raw),
          userAgent: request.headers['user-agent'],
          nowMs,
        },
        keepSession: (kept) => {
          const field =
            kept === undefined
              ? endedSessionCookie(baseUrl)
              : sessionCookie(kept.token, kept.expiresAt, baseUrl);
          reply.header('set-cookie', field);
        },
      };
      // The contract has the type of each request: generated/account/handlers.ts.
      const handle = ACCOUNT_HANDLERS[operation] as AccountHandler<AccountContext, OperationId>;
      return withStoreFaults(WHERE, () => handle(context, wanted as Parameters<typeof handle>[1]));
    },
  };
}

function toAccountCaller(caller: RestCaller): Omit<AccountCaller, 'requestId'> {
  switch (caller.kind) {
    case 'token':
      return caller;
    case 'session': {
      const { accountId, memberId } = caller.session;
      return { accountId, memberId, scopes: new Set(scopesOf(caller.session)) };
    }
    case 'anyone':
      return { accountId: NO_ACCOUNT, scopes: new Set() };
  }
}
