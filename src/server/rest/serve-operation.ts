import type { FastifyReply, FastifyRequest } from 'fastify';
import { type OperationId, OPERATIONS } from '../../../generated/wallets/operations.ts';
import { CLIENT_LEFT } from '../../wallets/client-left.ts';
import type { TokenHolder } from './admit.ts';
import { passHeaders } from './pass-headers.ts';
import { readKey, readRequest } from './read-request.ts';
import type { RestOptions } from './rest-endpoint.ts';
import { sendStream } from './send-stream.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export type Exchange = { readonly request: FastifyRequest; readonly reply: FastifyReply };

/** Serves a request that was admitted. A client that leaves stops the work. What ts-rest sends is what this returns. */
export async function serveOperation(
  { places, answerRequest }: RestOptions,
  operation: OperationId,
  holder: TokenHolder,
  { request, reply }: Exchange,
): Promise<{ readonly status: number; readonly body: unknown }> {
  const { status } = OPERATIONS[operation];
  const { headers } = request;
  const idempotencyKey = readKey(operation, headers);
  const { id } = request.params as { readonly id?: string };
  const wanted = readRequest(operation, { id, headers, body: request.body as Buffer | undefined });
  const caller = { ...holder, requestId: request.id };
  const signal = signalOf(reply);
  const answer = await answerRequest(places, { operation, request: wanted, caller, idempotencyKey, signal });
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
