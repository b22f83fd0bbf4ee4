import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OperationId, OPERATIONS } from '../../../generated/wallets/operations.ts';
import type { TokenHolder } from '../../account/tokens/authenticate-token.ts';
import { recordedAddress } from '../../gate/client-address.ts';
import { CLIENT_LEFT } from '../../wallets/client-left.ts';
import { readKey, readReceived, readRequest } from './read-request.ts';
import type { RestOptions } from './rest-options.ts';
import { sendStream } from './send-stream.ts';
import { watchDelivery } from './watch-delivery.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export type Exchange = {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Adds work that continues after the answer. */
  readonly include: (work: Promise<void>) => Promise<void>;
};

/** Serves a request that was admitted. A client's disconnect stops the work. ts-rest sends the returned answer. */
export async function serveOperation(
  options: RestOptions,
  operation: OperationId,
  holder: TokenHolder,
  { request, reply, include }: Exchange,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { deps, answerRequest, trustsPeer } = options;
  const { status } = OPERATIONS[operation];
  const { headers, query } = request;
  const idempotencyKey = readKey(operation, headers);
  const { id } = request.params as { readonly id?: string };
  const wanted = readRequest(operation, { id, query, headers, body: request.body as Buffer | undefined });
  const address = recordedAddress(request.raw, trustsPeer);
  const caller = { ...holder, requestId: request.id, address };
  request.setDecorator('isServed', true);
  const signal = signalOf(reply);
  const answer = await answerRequest(deps, {
    ...{ operation, request: wanted, caller, idempotencyKey, signal },
    received: readReceived(operation, headers, wanted.body),
    watchDelivery: () => {
      const delivery = watchDelivery(reply.raw);
      return (work) => void delivery.then((isDrained) => include(work(isDrained)));
    },
  });
  if (answer.kind === 'stream') {
    passHeaders(reply);
    await sendStream(reply.raw, status, answer);
    reply.hijack();
    return { status, body: undefined };
  }
  reply.type(JSON_TYPE);
  if (answer.kind === 'json') return { status, body: Buffer.from(JSON.stringify(answer.body)) };
  if (reply.raw.closed) answer.bytes.fill(0);
  else reply.raw.once('close', () => answer.bytes.fill(0));
  return { status, body: answer.bytes };
}

function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(CLIENT_LEFT);
  });
  return controller.signal;
}

/** Copies the headers that Fastify holds to the response of node:http, for an answer that Fastify does not send. */
export function passHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}
