/** The source of the current time; tests pass their own. */
export type Clock = {
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
};

export const systemClock: Clock = { nowMs: () => Date.now() };
