/** Time as this process gets it: what a busy machine keeps from it is left out. For promises such as "within a second". */
export type BusyMachineClock = {
  readonly elapsedMs: () => number;
  readonly [Symbol.dispose]: () => void;
};

const TICK_MS = 5;

/** Counts from 0. A tick that comes late counts as two. */
export function startBusyMachineClock(): BusyMachineClock {
  let lastMs = performance.now();
  let elapsedMs = 0;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    elapsedMs += Math.min(nowMs - lastMs, 2 * TICK_MS);
    lastMs = nowMs;
  }, TICK_MS);
  return { elapsedMs: () => elapsedMs, [Symbol.dispose]: () => clearInterval(timer) };
}
