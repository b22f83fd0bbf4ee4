import type { FastifyReply } from 'fastify';
import { BODY_CHECKS } from '../../../generated/wallets/body-checks.js';
import { walletContract } from '../../../generated/wallets/contract.ts';
import type { WalletRequest } from '../../../generated/wallets/handlers.ts';
import {
  BODY_MEMBERS,
  type OperationEntry,
  type OperationId,
  OPERATIONS,
} from '../../../generated/wallets/operations.ts';
import { QUERY_CHECKS } from '../../../generated/wallets/query-checks.js';
import { admitCreation, type CallCounter, type CreateLimitBook } from '../../account/wallet-create-limit.ts';
import { admitUse, type UseLimitDeps } from '../../account/wallet-use-limit.ts';
import type { answerRequest } from '../../wallets/answer-request.ts';
import { CLIENT_LEFT } from '../../wallets/client-left.ts';
import type { WalletDeps } from '../../wallets/wallet-deps.ts';
import { JSON_TYPE } from './json-type.ts';
import { passHeaders } from './pass-headers.ts';
import { readReceived } from './read-received.ts';
import { readKey, readRequest } from './read-request.ts';
import type { RestOptions } from './rest-options.ts';
import type { RateLimited, RestService } from './rest-service.ts';
import { sendStream } from './send-stream.ts';
import { watchDelivery } from './watch-delivery.ts';

export type WalletServiceOptions = UseLimitDeps &
  Pick<RestOptions, 'clientAddress'> & {
    readonly deps: WalletDeps;
    readonly answerRequest: typeof answerRequest;
    readonly limits: CreateLimitBook;
    readonly rateLimit: CallCounter;
  };

const CHECKS = { bodies: BODY_CHECKS, queries: QUERY_CHECKS, bodyMembers: BODY_MEMBERS };

/** The wallet service (interface.md section 4.4): everything below `/v1/wallets`. */
export function createWalletService(options: WalletServiceOptions): RestService {
  const { deps, answerRequest: answer } = options;
  const refusal = 'walletRateLimited';
  const limits: Readonly<Record<NonNullable<OperationEntry['rate']>, RateLimited>> = {
    wallet_create_limit: { policy: 'wallet-create', refusal, admit: (id) => admitCreation(options, id) },
    wallet_use_limit: { policy: 'wallet-use', refusal, admit: (id) => admitUse(options, id) },
  };
  return {
    contract: walletContract,
    operations: OPERATIONS,
    limitOf: (operation) => {
      const { rate }: OperationEntry = OPERATIONS[operation as OperationId];
      return rate && limits[rate];
    },
    maxBodyBytes: Number.POSITIVE_INFINITY,
    /** A client's disconnect stops the work. */
    serve: async (name, holder, { request, reply, include }) => {
      if (holder.kind !== 'token') throw new Error('the wallet service takes tokens alone');
      const operation = name as OperationId;
      const entry = OPERATIONS[operation];
      const { status } = entry;
      const { headers } = request;
      const idempotencyKey = readKey(entry, headers);
      const wanted = readRequest(entry, { operation, request, checks: CHECKS });
      const { accountId, tokenId, member } = holder;
      const address = options.clientAddress(request.raw);
      const caller = { accountId, tokenId, member, requestId: request.id, address };
      request.setDecorator('isServed', true);
      const answered = await answer(deps, {
        ...{ operation, request: wanted as WalletRequest<OperationId>, caller, idempotencyKey },
        signal: signalOf(reply),
        received: readReceived(operation, headers, wanted.body),
        watchDelivery: () => {
          const delivery = watchDelivery(reply.raw);
          return (work) => void delivery.then((isDrained) => include(work(isDrained)));
        },
      });
      if (answered.kind === 'stream') {
        passHeaders(reply);
        await sendStream(reply.raw, status, answered);
        reply.hijack();
        return { status, body: undefined };
      }
      reply.type(JSON_TYPE);
      if (answered.kind === 'json') return { status, body: Buffer.from(JSON.stringify(answered.body)) };
      if (reply.raw.closed) answered.bytes.fill(0);
      else reply.raw.once('close', () => answered.bytes.fill(0));
      return { status, body: answered.bytes };
    },
  };
}

function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(CLIENT_LEFT);
  });
  return controller.signal;
}
