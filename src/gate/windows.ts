import type { PlanLimit } from './rate-limit.ts';

/** Windows in which nothing counts any more are forgotten after this. */
const SWEEP_MS = 10_000;

/** What is kept for a key. */
type KeyWindow = { readonly plan: PlanLimit; readonly isEmpty: (nowMs: number) => boolean };

/** The windows of keys, each for as long as something counts in it. */
export type Windows<W extends KeyWindow> = {
  /** Returns the window of a key. A rewritten plan is a new object, and its windows begin anew. */
  readonly of: (keyId: string, plan: PlanLimit) => W;
};

/** Creates the windows of one process. One timer runs while there are any; it does not keep the process alive. */
export function createWindows<W extends KeyWindow>(
  now: () => number,
  create: (keyId: string, plan: PlanLimit) => W,
): Windows<W> {
  const windows = new Map<string, W>();
  let isSweeping = false;
  const sweepLater = (): void => {
    isSweeping = true;
    setTimeout(sweep, SWEEP_MS).unref();
  };
  const sweep = (): void => {
    const nowMs = now();
    for (const [keyId, window] of windows) if (window.isEmpty(nowMs)) windows.delete(keyId);
    isSweeping = false;
    if (windows.size > 0) sweepLater();
  };
  return {
    of: (keyId, plan) => {
      const known = windows.get(keyId);
      if (known?.plan === plan) return known;
      const made = create(keyId, plan);
      windows.set(keyId, made);
      if (!isSweeping) sweepLater();
      return made;
    },
  };
}
