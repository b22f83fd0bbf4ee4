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
  /** Weight that the key may still use in this window. */
  readonly remaining: number;
  /** Milliseconds until the window ends and the whole burst is available again; at least 0. */
  readonly resetMs: number;
};

/** The decision about a charge, and the key's state after it. */
export type Taken = Standing & { readonly isAllowed: boolean };

/**
 * Limits the use of each key separately. A backend keeps these promises (shared suite: test/gate/rate-limit-suite.ts):
 *
 * - A window begins with a key's first use and lasts `windowMs(plan)`; in it at most `burst` is allowed. A charge is allowed or
 *   refused as a whole, and a refused one uses nothing, unless its window ends at that moment.
 * - After a pause of one window, any T seconds let through at most burst + T × burst / window, which is the rate. After any
 *   other history, they let through at most twice the burst + T × rate: the end of one window and the next one at once.
 * - A client that keeps to the rate with calls of one weight that divides the burst is never refused.
 */
export type RateLimit = {
  /** Charges `weight`, from 1 to the burst, if the plan allows it now. */
  readonly take: (keyId: string, plan: PlanLimit, weight: number) => Promise<Taken>;
  /** Returns the state of a key; charges nothing. */
  readonly look: (keyId: string, plan: PlanLimit) => Promise<Standing>;
};

/** Returns the length of a window: the time in which the rate adds up to the burst, in whole milliseconds, rounded down. */
export function windowMs({ requestsPerSecond, burst }: PlanLimit): number {
  return Math.floor((burst * 1000) / requestsPerSecond);
}
