import { ACCOUNT_HANDLERS } from '../../../generated/account/account-handlers.ts';
import { BODY_CHECKS } from '../../../generated/account/body-checks.js';
import { accountContract } from '../../../generated/account/contract.ts';
import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { BODY_MEMBERS, type OperationId, OPERATIONS } from '../../../generated/account/operations.ts';
import { QUERY_CHECKS } from '../../../generated/account/query-checks.js';
import { PLANS } from '../../../generated/plans.ts';
import { admitCall, type CallCounter } from '../../account/wallet-create-limit.ts';
import { withActingStore } from '../../account/acting-store.ts';
import type { AccountCaller, AccountContext, AccountDeps } from '../../account-api/account-context.ts';
import { NO_ACCOUNT } from '../../account/audit/refusal-log.ts';
import { scopesOf } from '../../account/members/role-scopes.ts';
import { withStoreFaults } from '../../store/store-errors.ts';
import type { BaseUrlOf } from '../http/base-url.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import type { RestCaller } from './rest-caller.ts';
import { JSON_TYPE } from './json-type.ts';
import { readRequest } from './read-request.ts';
import type { RestOptions } from './rest-options.ts';
import type { RateLimited, RestService } from './rest-service.ts';
import { endedSessionCookie, sessionCookie } from './session-cookie.ts';

export type AccountServiceOptions = Pick<RestOptions, 'clientAddress'> & {
  readonly baseUrlOf: BaseUrlOf;
  readonly deps: AccountDeps;
  readonly rateLimit: CallCounter;
};

const CHECKS = { bodies: BODY_CHECKS, queries: QUERY_CHECKS, bodyMembers: BODY_MEMBERS };
const { requests, window_seconds: WINDOW_SECONDS } = PLANS.account_limit;
const LIMIT = { name: 'account', requestsPerSecond: requests / WINDOW_SECONDS, burst: requests };

/** A key with 100 networks and 100 origins is the largest. */
const MAX_BODY_BYTES = 128 * 1024;

/** Subject of store failures; the driver's own text would repeat all values that were to be stored. */
const WHERE = 'the account service';

/** The account service: everything below `/account/v1`. */
export function createAccountService(options: AccountServiceOptions): RestService {
  const { deps, rateLimit, baseUrlOf } = options;
  const limit: RateLimited = {
    ...{ policy: 'account', refusal: 'accountRateLimited' },
    admit: (accountId) => admitCall(rateLimit, accountId, LIMIT, WINDOW_SECONDS, 'accountRateLimited'),
  };
  return {
    contract: accountContract,
    operations: OPERATIONS,
    limitOf: () => limit,
    maxBodyBytes: MAX_BODY_BYTES,
    concurrency: new ConcurrencyLimit(PLANS.account_concurrency),
    serve: async (name, caller, { request, reply }) => {
      const operation = name as OperationId;
      const entry = OPERATIONS[operation];
      const wanted = readRequest(entry, { operation, request, checks: CHECKS });
      const baseUrl = baseUrlOf(request.raw);
      const nowMs = deps.clock.nowMs();
      const context: AccountContext = {
        ...(caller.kind === 'anyone' ? deps : withActingStore(deps, { ...caller, nowMs }, entry.scopes)),
        ...{ baseUrl, session: caller.kind === 'session' ? caller.session : undefined },
        caller: { ...toAccountCaller(caller), requestId: request.id },
        request: {
          ...{ requestId: request.id, address: options.clientAddress(request.raw) },
          ...{ userAgent: request.headers['user-agent'], nowMs },
        },
        keepSession: (kept) => {
          const field =
            kept === undefined
              ? endedSessionCookie(baseUrl)
              : sessionCookie(kept.token, kept.expiresAt, baseUrl);
          reply.header('set-cookie', field);
        },
      };
      // Which request an operation takes is checked where it is handled: generated/account/handlers.ts.
      const handle = ACCOUNT_HANDLERS[operation] as AccountHandler<AccountContext, OperationId>;
      const answer = await withStoreFaults(WHERE, () =>
        handle(context, wanted as Parameters<typeof handle>[1]),
      );
      request.setDecorator('isServed', true);
      reply.type(JSON_TYPE);
      const body = answer.kind === 'json' ? Buffer.from(JSON.stringify(answer.body)) : answer.bytes;
      return { status: entry.status, body };
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
