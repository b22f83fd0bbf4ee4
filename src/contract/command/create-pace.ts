import { type Answer, type Pace, RateLimited } from '../json-rpc.ts';

/** Where the time comes from. */
export type PaceClock = { readonly nowMs: () => number; readonly pause: (ms: number) => Promise<unknown> };

/** How often one call is sent, at most. */
const ATTEMPTS = 8;
/** What a server asks for beyond that is not waited for: it has refused the run. */
const MAX_WAIT_MS = 60_000;
/** How long a run waits in a row for a server that answers nothing but 429; after that it waits no more. */
const PATIENCE_MS = 120_000;
/** Where a 429 does not say how long. */
const USUAL_WAIT_MS = 1_000;

/**
 * Sends the calls of a run at the speed that its server takes: `ratePerSecond` where given, and after an answer of 429 none before the
 * time that its Retry-After names (RFC 9110, section 10.2.3). A call that the server goes on to refuse ends in RateLimited.
 */
export function createPace(ratePerSecond: number | undefined, { nowMs, pause }: PaceClock): Pace {
  const gapMs = ratePerSecond === undefined ? 0 : 1_000 / ratePerSecond;
  let nextMs = 0;
  let waitedMs = 0;
  const takeTurn = async (): Promise<void> => {
    for (;;) {
      const dueMs = nextMs - nowMs();
      if (dueMs <= 0) break;
      await pause(dueMs);
    }
    nextMs = nowMs() + gapMs;
  };
  const send = async (call: () => Promise<Answer>): Promise<Answer> => {
    for (let attempt = 1; ; attempt += 1) {
      await takeTurn();
      const answer = await call();
      if (answer.status !== 429) {
        waitedMs = 0;
        return answer;
      }
      const waitMs = retryAfterMs(answer.retryAfter, nowMs());
      if (attempt === ATTEMPTS || waitMs > MAX_WAIT_MS || waitedMs + waitMs > PATIENCE_MS)
        throw new RateLimited(answer);
      const untilMs = nowMs() + waitMs;
      if (untilMs > nextMs) waitedMs += untilMs - Math.max(nextMs, nowMs());
      nextMs = Math.max(nextMs, untilMs);
    }
  };
  return send;
}

/** Seconds, or a date. */
function retryAfterMs(text: string | null, nowMs: number): number {
  if (text === null) return USUAL_WAIT_MS;
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1_000;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? USUAL_WAIT_MS : Math.max(0, dateMs - nowMs);
}
