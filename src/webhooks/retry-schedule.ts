const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The pauses after failed attempts, 75.6 hours in all: those of Standard Webhooks 1.0. */
export const PAUSES_MS: readonly number[] = [
  ...[5_000, 5 * MINUTE_MS, 30 * MINUTE_MS],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** The most attempts of an event. */
export const MAX_ATTEMPTS = PAUSES_MS.length + 1;

/** Pauses are longer by up to this share, so that what failed together does not come together again. */
const JITTER = 0.1;
/** A receiver may ask for a longer pause than the schedule's, up to this one. */
const MAX_ASKED_MS = 24 * HOUR_MS;

/**
 * Returns the pause after a failed attempt; undefined when it was the last one.
 *
 * @param attempts the number of attempts so far, from 1.
 * @param retryAfterMs what the receiver asked for.
 * @param random from 0 to 1.
 */
export function pauseAfter(attempts: number, retryAfterMs = 0, random = Math.random()): number | undefined {
  const pause = PAUSES_MS[attempts - 1];
  if (pause === undefined) return undefined;
  return Math.max(Math.round(pause * (1 + JITTER * random)), Math.min(retryAfterMs, MAX_ASKED_MS));
}
