import type { ServerResponse } from 'node:http';
import { BODY_CHECKS } from '../../../generated/wallets/body-checks.js';
import { walletContract } from '../../../generated/wallets/contract.ts';
import type { WalletRequest } from '../../../generated/wallets/handlers.ts';
import { BODY_MEMBERS, type OperationId } from '../../../generated/wallets/operations.ts';
import { QUERY_CHECKS } from '../../../generated/wallets/query-checks.js';
import { admitCreation, type CreateLimitBook } from '../../account/plans/wallet-create-limit.ts';
import { type CallCounter, chargeRefused } from '../../account/plans/count-call.ts';
import { admitUse, useLimitOf, type UseLimitDeps } from '../../account/plans/wallet-use-limit.ts';
import type { answerRequest } from '../../wallets/answer-request.ts';
import { CLIENT_LEFT } from '../../wallets/client-left.ts';
import type { WalletDeps } from '../../wallets/wallet-deps.ts';
import type { ClientAddress } from '../access/client-address.ts';
import { readReceived } from './read-request.ts';
import type { RateLimited, RestService } from './rest-endpoint.ts';
import { watchDelivery } from './watch-delivery.ts';

export type WalletServiceOptions = UseLimitDeps & {
  readonly deps: WalletDeps;
  readonly answerRequest: typeof answerRequest;
  readonly limits: CreateLimitBook;
  readonly rateLimit: CallCounter;
  readonly clientAddress: ClientAddress;
};

/** The wallet service (interface.md section 4.4): everything below `/v1/wallets`. */
export function createWalletService(options: WalletServiceOptions): RestService {
  const { deps, answerRequest: answer, clientAddress } = options;
  const refusal = 'walletRateLimited';
  const { rateLimit, useRateLimit, limits: createLimits } = options;
  const limits = new Map<string | undefined, RateLimited>([
    [
      'wallet_create_limit',
      {
        policy: 'wallet-create',
        refusal,
        admit: (id) => admitCreation(options, id),
        charge: (id, weight) => chargeRefused(rateLimit, id, createLimits.limitOf(id), weight),
      },
    ],
    [
      'wallet_use_limit',
      {
        policy: 'wallet-use',
        refusal,
        admit: (id) => admitUse(options, id),
        charge: (id, weight) => chargeRefused(useRateLimit, id, useLimitOf(options, id), weight),
      },
    ],
  ]);
  return {
    protocol: 'wallets',
    contract: walletContract,
    checks: { bodies: BODY_CHECKS, queries: QUERY_CHECKS, bodyMembers: BODY_MEMBERS },
    limitOf: ({ rate }) => limits.get(rate),
    maxBodyBytes: Number.POSITIVE_INFINITY,
    /** A client's disconnect stops the work. */
    operate: async ({
      name,
      operation,
      caller: holder,
      idempotencyKey,
      wanted,
      request,
      reply,
      begin,
      include,
    }) => {
      if (holder.kind !== 'token') throw new Error('the wallet service accepts access tokens only');
      const { accountId, tokenId, member } = holder;
      begin();
      return answer(deps, {
        operation: name as OperationId,
        request: wanted as WalletRequest<OperationId>,
        caller: { accountId, tokenId, member, requestId: request.id, address: clientAddress(request.raw) },
        idempotencyKey,
        signal: signalOf(reply.raw),
        received: readReceived(operation, request.headers, wanted.body),
        watchDelivery: () => {
          const delivery = watchDelivery(reply.raw);
          return (work) => void delivery.then((isDrained) => include(work(isDrained)));
        },
      });
    },
  };
}

function signalOf(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(CLIENT_LEFT);
  });
  return controller.signal;
}
