import type { Ledger } from './ledger.ts';

/** Number of slots that a stalled process catches up on; a longer stall (a machine that slept) is left out of the chain. */
const MAX_SLOTS_BEHIND = 32;

/** Ticks the ledger at its slot time, without drift. Returns a function that stops it. */
export function startSlotTimer(ledger: Ledger): () => void {
  const { slotMs } = ledger;
  let nextMs = performance.now() + slotMs;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    timer = setTimeout(run, Math.max(0, nextMs - performance.now()));
  };
  const run = (): void => {
    const nowMs = performance.now();
    if (nowMs - nextMs > MAX_SLOTS_BEHIND * slotMs) nextMs = nowMs;
    while (nextMs <= nowMs) {
      ledger.tick();
      nextMs += slotMs;
    }
    wait();
  };
  wait();
  return () => clearTimeout(timer);
}
