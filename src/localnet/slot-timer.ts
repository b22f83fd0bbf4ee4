import type { Ledger } from './ledger.ts';

/** Number of slots that a stalled process catches up on; a longer stall (a machine that slept) is left out of the chain. */
const MAX_SLOTS_BEHIND = 32;

/**
 * Ticks the ledger at its slot time, without drift, while its clock runs and its slots are closed by time. Returns a function that stops it.
 * `onFailure` is called once when a slot cannot be closed.
 */
export function startSlotTimer(ledger: Ledger, onFailure: (error: unknown) => void): () => void {
  const { clock, pace } = ledger;
  let nextMs = 0;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(run, Math.max(0, nextMs - performance.now()));
  };
  const run = (): void => {
    const nowMs = performance.now();
    if (nowMs - nextMs > MAX_SLOTS_BEHIND * pace.slotMs) nextMs = nowMs;
    try {
      while (nextMs <= nowMs) {
        ledger.tick();
        nextMs += pace.slotMs;
      }
    } catch (error) {
      onFailure(error);
      return;
    }
    wait();
  };
  const begin = (): void => {
    clearTimeout(timer);
    if (clock.isStopped || pace.production !== 'interval') return;
    nextMs = performance.now() + pace.slotMs;
    wait();
  };
  begin();
  const stopListening = pace.onChange(begin);
  return () => {
    stopListening();
    clearTimeout(timer);
  };
}
