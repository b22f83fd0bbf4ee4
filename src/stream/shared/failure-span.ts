/** A time in which calls failed or hung, and nothing succeeded. */
export type FailureSpan = {
  /** A call begins, or one has failed. */
  readonly note: () => void;
  /** Something has succeeded. */
  readonly end: () => void;
  /** True when that has gone on for `spanMs`. */
  readonly isLong: () => boolean;
};

/** Measures from the first call after the last success, so that calls that hang count as those that fail. */
export function createFailureSpan(spanMs: number): FailureSpan {
  let sinceMs: number | undefined;
  return {
    note: () => {
      sinceMs ??= performance.now();
    },
    end: () => {
      sinceMs = undefined;
    },
    isLong: () => sinceMs !== undefined && performance.now() - sinceMs >= spanMs,
  };
}
