import { CallSignal } from '../../rpc/call-signal.ts';
import type { Admission } from '../../gate/admission.ts';
import type { Authenticate, Caller } from '../../gate/authenticate.ts';
import type { ReplyMemory } from '../../rpc/reply-memory.ts';
import type { LedgerReply } from '../../ledger/outcome.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Context } from '../../rpc/context.ts';
import { serviceError, toServiceError } from '../../base/service-error.ts';
import type { BaseUrlOf } from '../http/base-url.ts';
import { rpcPathOf } from '../http/target.ts';
import { sendPreflight } from '../http/preflight.ts';
import {
  type HeaderMap,
  type HttpRequest,
  type HttpResponse,
  sendBody,
  sendError,
  sendParts,
  sendStream,
} from '../http/respond.ts';
import { answerBatch } from './answer-batch.ts';
import { admitRequest } from './admit-request.ts';
import type { Call, CallLimits, Envelope } from '../../rpc/call.ts';
import { errorReply, resultReply } from '../../rpc/replies.ts';

export type RpcEndpointOptions = {
  readonly ledger: Ledger;
  readonly authenticate: Authenticate;
  /** Enforces the key's plan. */
  readonly admission: Admission;
  readonly limits: CallLimits;
  readonly maxBodyBytes: number;
  /** The memory for replies that cannot be streamed. */
  readonly replyMemory: ReplyMemory;
  readonly baseUrlOf: BaseUrlOf;
};

const CLIENT_LEFT = new Error('the client has left');

/**
 * JSON-RPC over HTTP POST (interface.md section 4.1). The key is checked before the body is read, its plan before any call
 * runs; single replies are streamed. Rejects with the ServiceError of a request that is refused as a whole.
 */
export function createRpcEndpoint(options: RpcEndpointOptions) {
  return async (request: HttpRequest, response: HttpResponse): Promise<void> => {
    if (request.method === 'OPTIONS') return sendPreflight(request, response);
    if (request.method !== 'POST') throw serviceError('methodNotAllowed');
    const caller = options.authenticate(request);
    const message = await admitRequest(options, caller, { request, response });
    if (message === undefined) return;
    const context = contextOf(caller, { request, response }, options);
    if (message.kind === 'single')
      return await answerSingle(options.ledger, context, message.envelope, response);
    const { ledger, limits } = options;
    const batch = { ledger, context, concurrency: limits.batchConcurrency, refuse: errorReply };
    const parts = await answerBatch(message.envelopes, batch);
    context.hold.deliver(() => void response.destroy());
    sendParts(response, parts);
  };
}

/** Creates the context that the calls of a request share; it is aborted when the connection closes before the answer has been written. */
function contextOf(
  { keyId, accountId, session }: Caller,
  { request, response }: { readonly request: HttpRequest; readonly response: HttpResponse },
  { replyMemory, baseUrlOf }: Pick<RpcEndpointOptions, 'replyMemory' | 'baseUrlOf'>,
): Context {
  const [signal, hold] = [new CallSignal(), replyMemory.hold(accountId)];
  response.on('close', () => {
    hold.release();
    if (!response.writableFinished) signal.abort(CLIENT_LEFT);
  });
  const askedAt = (): string => baseUrlOf(request) + rpcPathOf(request.url ?? '');
  return { keyId, accountId, session, signal, hold, askedAt };
}

async function answerSingle(
  ledger: Ledger,
  context: Context,
  envelope: Envelope,
  response: HttpResponse,
): Promise<void> {
  if (envelope.kind === 'invalid') return sendError(response, envelope.error, envelope.id);
  const { call } = envelope;
  try {
    const reply = await ledger.serve(call, context);
    if (call.isNotification) return dropReply(reply, response);
    context.hold.deliver(() => void response.destroy());
    await sendReply(reply, call, response);
  } catch (error) {
    if (context.signal.aborted) return;
    if (response.headersSent) throw error;
    if (call.isNotification) return sendBody(response, 200, '');
    sendError(response, toServiceError(error), call.id);
  }
}

async function sendReply(reply: LedgerReply, call: Call, response: HttpResponse): Promise<void> {
  const { cacheStatus } = reply;
  const headers: HeaderMap = cacheStatus === undefined ? {} : { 'cache-status': `Keyslot; ${cacheStatus}` };
  switch (reply.kind) {
    case 'result':
      return sendBody(response, 200, resultReply(call.id, reply.json), headers);
    case 'whole':
      return sendBody(response, 200, reply.body, headers);
    case 'stream':
      return sendStream(response, reply.body, { sizeBytes: reply.sizeBytes, headers });
  }
}

function dropReply(reply: LedgerReply, response: HttpResponse): void {
  if (reply.kind === 'stream') reply.body.on('error', () => undefined).destroy();
  sendBody(response, 200, '');
}
