import { CallSignal } from '../../core/rpc/call-signal.ts';
import type { Admission, Verdict } from '../access/admission.ts';
import type { Authenticate, Caller } from '../access/authenticate.ts';
import type { ReplyMemory } from '../../core/rpc/reply-memory.ts';
import type { LedgerReply } from '../../gateway/ledger/outcome.ts';
import type { Ledger } from '../../gateway/ledger/ledger.ts';
import type { Context } from '../../core/rpc/context.ts';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import { createRequestId } from '../../core/request-id.ts';
import type { BaseUrlOf } from '../http/base-url.ts';
import { markAdmitted } from '../http/request-tracker.ts';
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
import type { Call, CallLimits, Envelope, Message } from '../../core/rpc/call.ts';
import { errorReply, resultReply } from '../../core/rpc/replies.ts';
import { type PlanLimit, windowMs } from '../access/rate-limit.ts';
import { CALL_BYTES, weighMessage } from '../access/weigh.ts';
import { assertJsonBody, readBody } from '../http/read-body.ts';
import { turnToParse } from '../../core/rpc/semaphore.ts';
import { idOf, parseBody } from '../../core/rpc/parse-body.ts';

export type RpcEndpointOptions = {
  readonly ledger: Ledger;
  /** Label of the network. */
  readonly network: string;
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
    const id = createRequestId();
    const { network } = options;
    response.setHeader('x-request-id', id);
    const caller = options.authenticate(request, network, { id, protocol: 'json_rpc', network });
    markAdmitted(response);
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
  { keyId, accountId, session, mark }: Caller,
  { request, response }: { readonly request: HttpRequest; readonly response: HttpResponse },
  { replyMemory, baseUrlOf }: Pick<RpcEndpointOptions, 'replyMemory' | 'baseUrlOf'>,
): Context {
  const [signal, hold] = [new CallSignal(), replyMemory.hold(accountId)];
  response.on('close', () => {
    hold.release();
    if (!response.writableFinished) signal.abort(CLIENT_LEFT);
  });
  const askedAt = (): string => baseUrlOf(request) + rpcPathOf(request.url ?? '');
  return { keyId, accountId, session, mark, signal, hold, askedAt };
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

type AdmitOptions = {
  readonly admission: Admission;
  readonly limits: Pick<CallLimits, 'maxBatchCalls'>;
  readonly maxBodyBytes: number;
};

type Exchange = { readonly request: HttpRequest; readonly response: HttpResponse };

const EXPOSED = 'ratelimit, ratelimit-policy, retry-after, cache-status, x-request-id';
const POLICIES = new WeakMap<PlanLimit, string>();

/**
 * Reads a request of a known key and charges the key's plan for it, before any call runs. Every answer carries the rate limit fields.
 *
 * @returns its messages; undefined when the plan did not allow them, which has been answered, or when the client has disconnected.
 * @throws ServiceError the fault of the request as a whole, which weighs 1 for each 16 KiB of its body: those of `assertJsonBody`,
 *   `readBody` and `parseBody`.
 */
async function admitRequest(
  { admission, limits, maxBodyBytes }: AdmitOptions,
  caller: Caller,
  exchange: Exchange,
): Promise<Message | undefined> {
  const { request, response } = exchange;
  if (isCostly(request)) {
    if (!mayGoOn(exchange, await admission.preview(caller))) return undefined;
  }
  let message: Message;
  let sizeBytes = 0;
  try {
    assertJsonBody(request);
    const body = await readBody(request, response, maxBodyBytes);
    sizeBytes = body.length;
    const turn = turnToParse(body);
    if (turn !== undefined) await turn;
    message = parseBody(body, limits);
  } catch (fault) {
    const { code } = toServiceError(fault);
    if (mayGoOn(exchange, await admission.admitFaulty(caller, sizeBytes, code))) throw fault;
    return undefined;
  }
  const verdict = await admission.admit(caller, weighMessage(message), sizeBytes);
  return mayGoOn(exchange, verdict, message) ? message : undefined;
}

/** True if the announced body weighs more than 1, or has no size: it is not read for a key that has nothing left. */
function isCostly({ headers }: HttpRequest): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > CALL_BYTES;
}

/** Returns false if the plan did not allow the request, which has been answered then. */
function mayGoOn({ request, response }: Exchange, verdict: Verdict, message?: Message): boolean {
  if (response.destroyed) return false;
  setLimitFields(request, response, verdict);
  if (verdict.refusal === undefined) return true;
  sendError(response, verdict.refusal, message && idOf(message));
  return false;
}

/**
 * Sets the rate limit fields of an answer: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10; the
 * quota is in weights of calls; limits of the key itself follow, in calls) and, where waiting helps, `Retry-After` (RFC 9110, section 10.2.3). Pages may read them.
 */
function setLimitFields(
  request: HttpRequest,
  response: HttpResponse,
  { plan, standing, ofKey, refusal }: Verdict,
): void {
  let [policies, limits] = [policyOf(plan), limitField({ plan, standing })];
  for (const own of ofKey ?? []) {
    policies += `, ${policyOf(own.plan)}`;
    limits += `, ${limitField(own)}`;
  }
  response.setHeader('ratelimit-policy', policies);
  response.setHeader('ratelimit', limits);
  if (refusal?.context.retryAfterSeconds !== undefined)
    response.setHeader('retry-after', String(refusal.context.retryAfterSeconds));
  if (request.headers.origin !== undefined) response.setHeader('access-control-expose-headers', EXPOSED);
}

function limitField({ plan, standing }: Pick<Verdict, 'plan' | 'standing'>): string {
  return `"${plan.name}";r=${standing.remaining};t=${Math.ceil(standing.resetMs / 1000)}`;
}

/** The window is given in whole seconds, rounded up: a client that keeps to it keeps to the limit. */
function policyOf(plan: PlanLimit): string {
  const known = POLICIES.get(plan);
  if (known !== undefined) return known;
  const policy = `"${plan.name}";q=${plan.burst};w=${Math.ceil(windowMs(plan) / 1000)}`;
  POLICIES.set(plan, policy);
  return policy;
}
