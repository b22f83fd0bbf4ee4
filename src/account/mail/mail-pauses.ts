const [SECOND_MS, MINUTE_MS, HOUR_MS] = [1_000, 60_000, 3_600_000];

/** The pauses after failed attempts; the last one is repeated until the mail expires. */
const PAUSES_MS = [
  ...[10 * SECOND_MS, 30 * SECOND_MS],
  ...[2, 5, 10, 20, 40].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4].map((hours) => hours * HOUR_MS),
];
/** Pauses are longer by up to this share, so that what failed together does not come together again. */
const JITTER = 0.2;

/** Returns the pause after a failed attempt to send a mail. @param attempts their number so far, from 1. @param random from 0 to 1. */
export function mailPauseAfter(attempts: number, random = Math.random()): number {
  const pause = PAUSES_MS[Math.min(attempts, PAUSES_MS.length) - 1] ?? HOUR_MS;
  return Math.round(pause * (1 + JITTER * random));
}
