/** The limit of one key under its plan. */
export type PlanLimit = {
  readonly name: string;
  /** Weight per second, averaged over a window. */
  readonly requestsPerSecond: number;
  /** Weight at once, or in one window. */
  readonly burst: number;
};

/** The state of a key under its plan. */
export type Standing = {
  /** Weight that the key may use now. */
  readonly remaining: number;
  /** Milliseconds until the whole burst is available again, if nothing is used meanwhile; at least 0. */
  readonly resetMs: number;
};

/** The decision about a charge, and the key's state after it. */
export type Taken = Standing & {
  readonly isAllowed: boolean;
  /** Milliseconds until the same charge can be allowed; 0 if it was. */
  readonly retryMs: number;
};

/**
 * Limits the use of each key separately, in a window that slides in steps: what was used counts until the step in which it was
 * used is one window old. A backend keeps these promises (shared suite: test/gate/rate-limit-suite.ts):
 *
 * - Any time of `STEPS - 1` steps lets through at most the burst. A charge is allowed or refused as a whole, and a refused one
 *   uses nothing.
 * - A client that keeps to the rate with calls of one weight that divides the burst is never refused.
 * - After `retryMs` the same charge is allowed, if nothing else was used.
 */
export type RateLimit = {
  /** Charges `weight`, from 1 to the burst, if the plan allows it now. */
  readonly take: (keyId: string, plan: PlanLimit, weight: number) => Promise<Taken>;
  /** Returns the state of a key for a charge of 1; charges nothing. */
  readonly look: (keyId: string, plan: PlanLimit) => Promise<Taken>;
};

/** The steps of a window. */
export const STEPS = 20;

/** Returns the length of a window: the time in which the rate adds up to the burst, in whole milliseconds, rounded down. */
export function windowMs({ requestsPerSecond, burst }: PlanLimit): number {
  return Math.floor((burst * 1000) / requestsPerSecond);
}
