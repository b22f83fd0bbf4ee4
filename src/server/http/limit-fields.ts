import { retryAfterSeconds, type Verdict } from '../../gate/admission.ts';
import { type PlanLimit, windowMs } from '../../gate/rate-limit.ts';
import type { HttpRequest, HttpResponse } from './respond.ts';

const EXPOSED = 'ratelimit, ratelimit-policy, retry-after, cache-status';
const POLICIES = new WeakMap<PlanLimit, string>();

/**
 * Sets the rate limit fields of an answer: `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10; the
 * quota is in weights of calls) and, where waiting helps, `Retry-After` (RFC 9110, section 10.2.3). Pages may read them.
 */
export function setLimitFields(
  request: HttpRequest,
  response: HttpResponse,
  { plan, standing, refusal }: Verdict,
): void {
  const resetSeconds = Math.ceil(standing.resetMs / 1000);
  response.setHeader('ratelimit-policy', policyOf(plan));
  response.setHeader('ratelimit', `"${plan.name}";r=${standing.remaining};t=${resetSeconds}`);
  if (refusal?.code === 'rateLimited') response.setHeader('retry-after', String(retryAfterSeconds(standing)));
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
