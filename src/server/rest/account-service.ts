import { ACCOUNT_HANDLERS } from '../../../generated/account/account-handlers.ts';
import { BODY_CHECKS } from '../../../generated/account/body-checks.js';
import { accountContract } from '../../../generated/account/contract.ts';
import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { BODY_MEMBERS, type OperationId, OPERATIONS } from '../../../generated/account/operations.ts';
import { QUERY_CHECKS } from '../../../generated/account/query-checks.js';
import { PLANS } from '../../../generated/plans.ts';
import { admitCall, type CallCounter } from '../../account/wallet-create-limit.ts';
import type { AccountContext, AccountDeps } from '../../account-api/account-context.ts';
import { withStoreFaults } from '../../store/store-errors.ts';
import { JSON_TYPE } from './json-type.ts';
import { readRequest } from './read-request.ts';
import type { RateLimited, RestService } from './rest-service.ts';

export type AccountServiceOptions = {
  readonly deps: AccountDeps;
  readonly rateLimit: CallCounter;
};

const CHECKS = { bodies: BODY_CHECKS, queries: QUERY_CHECKS, bodyMembers: BODY_MEMBERS };
const { requests, window_seconds: WINDOW_SECONDS } = PLANS.account_limit;
const LIMIT = { name: 'account', requestsPerSecond: requests / WINDOW_SECONDS, burst: requests };

/** Subject of store failures; the driver's own text would repeat all values that were to be stored. */
const WHERE = 'the account service';

/** The account service: everything below `/account/v1`. */
export function createAccountService({ deps, rateLimit }: AccountServiceOptions): RestService {
  const limit: RateLimited = {
    ...{ policy: 'account', refusal: 'accountRateLimited' },
    admit: (accountId) => admitCall(rateLimit, accountId, LIMIT, WINDOW_SECONDS, 'accountRateLimited'),
  };
  return {
    contract: accountContract,
    operations: OPERATIONS,
    limitOf: () => limit,
    serve: async (name, holder, { request, reply }) => {
      const operation = name as OperationId;
      const entry = OPERATIONS[operation];
      const wanted = readRequest(entry, { operation, request, checks: CHECKS });
      const context = { ...deps, caller: { ...holder, requestId: request.id } };
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
