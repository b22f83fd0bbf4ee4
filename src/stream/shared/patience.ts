/** The time for which a reader that is too late is left its term. */
export type Patience = {
  readonly ms: () => number;
  /** A term was taken over. */
  readonly grow: () => void;
};

/** It doubles with each term that is taken over, up to so many times of the first. */
const MOST = 16;
/** It is the first one again when none was for so many times of it. */
const CALM = 10;

/** Creates the patience of one process: nodes that lag in turn do not take the reading from each other all the time. */
export function createPatience(leastMs: number, nowMs: () => number = () => performance.now()): Patience {
  let grownMs = leastMs;
  let grownAtMs = Number.NEGATIVE_INFINITY;
  const ms = (): number => (nowMs() - grownAtMs > CALM * grownMs ? leastMs : grownMs);
  return {
    ms,
    grow: () => {
      grownMs = Math.min(2 * ms(), MOST * leastMs);
      grownAtMs = nowMs();
    },
  };
}
