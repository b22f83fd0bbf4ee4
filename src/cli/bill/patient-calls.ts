import { RestCallError, type RestFailure } from '../../../runtime/rest-call-error.ts';

export type PatienceOptions = {
  /** Resolves after `ms` milliseconds. */
  readonly pause: (ms: number) => Promise<void>;
  /** Called before each pause. */
  readonly onWait: (wait: { readonly ms: number; readonly tries: number; readonly reason: string }) => void;
  /** From 0 to 1. */
  readonly random?: () => number;
};

/** The most tries of one call. */
export const MOST_TRIES = 6;
/** The longest requested pause that is waited for. */
export const MOST_ASKED_SECONDS = 120;
const FIRST_PAUSE_MS = 1_000;
const JITTER = 0.25;
/** Status codes of a busy or restarting server, or of a proxy that cannot reach it. */
const PASSING = new Set([429, 502, 503, 504]);

/**
 * Creates a wrapper for calls that only read: a call that fails for a temporary reason is repeated after the server's `Retry-After`, or
 * after pauses that double from one second. Before the first answer, an unreachable server is an error at once: the URL may be wrong.
 */
export function createPatientCalls({ pause, onWait, random = Math.random }: PatienceOptions) {
  let hasAnswered = false;
  return async <T>(call: () => Promise<T>): Promise<T> => {
    for (let tries = 1; ; tries += 1) {
      try {
        const answer = await call();
        hasAnswered = true;
        return answer;
      } catch (error) {
        if (!(error instanceof RestCallError) || tries >= MOST_TRIES) throw error;
        const ms = pauseAfter(error.failure, { tries, hasAnswered, random });
        if (ms === undefined) throw error;
        onWait({ ms, tries, reason: error.message });
        await pause(ms);
      }
    }
  };
}

type Try = { readonly tries: number; readonly hasAnswered: boolean; readonly random: () => number };

/** Undefined if a retry does not help. */
function pauseAfter(failure: RestFailure, { tries, hasAnswered, random }: Try): number | undefined {
  const own = FIRST_PAUSE_MS * 2 ** (tries - 1) * (1 + JITTER * random());
  if (failure.kind === 'network' || failure.kind === 'timeout') return hasAnswered ? own : undefined;
  if ((failure.kind !== 'problem' && failure.kind !== 'http') || !PASSING.has(failure.status))
    return undefined;
  const { retryAfterSeconds: asked } = failure;
  if (asked === undefined) return own;
  return asked > MOST_ASKED_SECONDS ? undefined : asked * 1_000;
}
