/** A log that keeps nothing. */
export const QUIET = { warn: () => undefined, error: () => undefined };
