import { setTimeout as pause } from 'node:timers/promises';

export type Patience = {
  /** The longest wait. Default 60,000 ms. */
  readonly timeoutMs?: number;
  /** Interval between two checks. Default 50 ms. */
  readonly intervalMs?: number;
};

/**
 * Checks a condition until it holds and returns its result. `undefined` means "not yet"; an error thrown by `check` ends the wait at once.
 * @throws Error naming `what` when the deadline passes.
 */
export async function eventually<T>(
  what: string,
  check: () => Promise<T | undefined> | T | undefined,
  { timeoutMs = 60_000, intervalMs = 50 }: Patience = {},
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const value = await check();
    if (value !== undefined) return value;
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await pause(intervalMs);
  }
}
