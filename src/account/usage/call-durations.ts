/** The ends of the buckets that durations of calls are counted in, in seconds; one more bucket holds longer ones. */
export const DURATIONS_UP_TO_S = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
] as const;

/**
 * Returns the time in milliseconds that 99 of 100 calls did not exceed: the end of a bucket, rounded up. Undefined without calls, Infinity
 * if it is longer than the last bucket's end.
 *
 * @param counts the calls in each bucket, not in those before it.
 */
export function p99Of(counts: readonly number[]): number | undefined {
  const all = counts.reduce((total, calls) => total + calls, 0);
  if (all === 0) return undefined;
  let count = 0;
  const bucket = counts.findIndex((calls) => {
    count += calls;
    return count >= all * 0.99;
  });
  const upToS = DURATIONS_UP_TO_S[bucket];
  return upToS === undefined ? Infinity : Math.ceil(upToS * 1_000);
}
