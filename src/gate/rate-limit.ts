/** What a plan allows one key. */
export type PlanLimit = {
  readonly name: string;
  /** Weight in a second, on average over a window. */
  readonly requestsPerSecond: number;
  /** Weight at once, or in one window. */
  readonly burst: number;
};

/** How a key stands with its plan. */
export type Standing = {
  /** Weight that the key may still use in this window. */
  readonly remaining: number;
  /** Until the window ends and the whole burst is there again; at least 0. */
  readonly resetMs: number;
};

/** What became of a wish, and how the key stands after it. */
export type Taken = Standing & { readonly isAllowed: boolean };

/**
 * Limits what keys use, each key by itself. A backend keeps these promises (shared suite: test/gate/rate-limit-suite.ts):
 *
 * - A window begins with a key's first use and lasts `windowMs(plan)`; in it at most `burst` is allowed. A wish is allowed
 *   or refused as a whole, and one that is refused uses nothing up, unless its window ends at that moment.
 * - After a pause of one window, any T seconds let through at most burst + T × burst / window, which is the rate. Whatever
 *   came before, they let through at most twice the burst + T × rate: the end of one window and the next one at once.
 * - A client that keeps to the rate with calls of one weight that divides the burst is never refused.
 */
export type RateLimit = {
  /** Uses `weight`, from 1 to the burst, if the plan allows it now. */
  readonly take: (keyId: string, plan: PlanLimit, weight: number) => Promise<Taken>;
  /** How a key stands; uses nothing. */
  readonly look: (keyId: string, plan: PlanLimit) => Promise<Standing>;
};

/** How long a window is: the time in which the rate adds up to the burst, in whole milliseconds, rounded down. */
export function windowMs({ requestsPerSecond, burst }: PlanLimit): number {
  return Math.floor((burst * 1000) / requestsPerSecond);
}
