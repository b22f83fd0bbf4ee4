import type { Admission, Verdict } from '../../gate/admission.ts';
import type { Caller } from '../../gate/authenticate.ts';
import { type PlanLimit, windowMs } from '../../gate/rate-limit.ts';
import { weighMessage } from '../../gate/weigh.ts';
import { assertJsonBody, readBody } from '../http/read-body.ts';
import { type HttpRequest, type HttpResponse, sendError } from '../http/respond.ts';
import type { CallLimits, Message } from '../../rpc/call.ts';
import { turnToParse } from '../../rpc/turns.ts';
import { idOf, parseBody } from '../../rpc/parse-body.ts';

export type AdmitOptions = {
  readonly admission: Admission;
  readonly limits: Pick<CallLimits, 'maxBatchCalls'>;
  readonly maxBodyBytes: number;
};

type Exchange = { readonly request: HttpRequest; readonly response: HttpResponse };

/** A body that may be larger than this is not read for a key that has nothing left. */
const CHEAP_BODY_BYTES = 16 * 1024;

const EXPOSED = 'ratelimit, ratelimit-policy, retry-after, cache-status';
const POLICIES = new WeakMap<PlanLimit, string>();

/**
 * Reads a request of a known key and charges the key's plan for it, before any call runs. Every answer carries the rate limit
 * fields.
 *
 * @returns its messages; undefined when the plan did not allow them, which has been answered, or the client has disconnected.
 * @throws ServiceError the fault of the request as a whole, which weighs 1 for each 16 KiB of its body: those
 *   of `assertJsonBody`, `readBody` and `parseBody`.
 */
export async function admitRequest(
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
    if (mayGoOn(exchange, await admission.admitFaulty(caller, sizeBytes))) throw fault;
    return undefined;
  }
  const verdict = await admission.admit(caller, weighMessage(message));
  return mayGoOn(exchange, verdict, message) ? message : undefined;
}

/** True if a body is announced as large, or without a size. */
function isCostly({ headers }: HttpRequest): boolean {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY) > CHEAP_BODY_BYTES;
}

/** False: the plan did not allow it, and that has been answered. */
function mayGoOn({ request, response }: Exchange, verdict: Verdict, message?: Message): boolean {
  if (response.destroyed) return false;
  setLimitFields(request, response, verdict);
  if (verdict.refusal === undefined) return true;
  sendError(response, verdict.refusal, message && idOf(message));
  return false;
}

/**
 * Sets the rate limit fields of an answer: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10; the
 * quota is in weights of calls) and, where waiting helps, `Retry-After` (RFC 9110, section 10.2.3). Pages may read them.
 */
function setLimitFields(
  request: HttpRequest,
  response: HttpResponse,
  { plan, standing, refusal }: Verdict,
): void {
  const resetSeconds = Math.ceil(standing.resetMs / 1000);
  response.setHeader('ratelimit-policy', policyOf(plan));
  response.setHeader('ratelimit', `"${plan.name}";r=${standing.remaining};t=${resetSeconds}`);
  if (refusal?.code === 'rateLimited')
    response.setHeader('retry-after', String(refusal.context.retryAfterSeconds));
  if (request.headers.origin !== undefined) response.setHeader('access-control-expose-headers', EXPOSED);
}

/** The window is given in whole seconds, rounded up: a client that keeps to it keeps to the limit. */
function policyOf(plan: PlanLimit): string {
  const known = POLICIES.get(plan);
  if (known !== undefined) return known;
  const policy = `"${plan.name}";q=${plan.burst};w=${Math.ceil(windowMs(plan) / 1000)}`;
  POLICIES.set(plan, policy);
  return policy;
}
