/** How often a process is called, and how long an answer may take. */
const PERIOD_MS = 5_000;
const MAX_MISSED = 3;

/**
 * Calls a process every 5 s, and calls `onHang` once when three calls in a row have failed: the process hangs, as one that is stopped by
 * SIGSTOP or is in an endless loop does.
 *
 * @returns a function that ends the watch.
 */
export function watchForHang(
  ping: (timeoutMs: number) => Promise<unknown>,
  onHang: (missed: number) => void,
): () => void {
  let missed = 0;
  const end = (): void => clearInterval(timer);
  const take = (isAnswered: boolean): void => {
    missed = isAnswered ? 0 : missed + 1;
    if (missed < MAX_MISSED) return;
    end();
    onHang(missed);
  };
  // The last call has ended before the next one.
  const call = (): void =>
    void ping(PERIOD_MS - 1).then(
      () => take(true),
      () => take(false),
    );
  const timer = setInterval(call, PERIOD_MS);
  return end;
}
