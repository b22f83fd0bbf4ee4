/** A wait is split into this many timers. */
const LOOKS = 4;

/**
 * Calls `onLate` once, after at least `ms` milliseconds. If the process was paused meanwhile, the wait is longer: a late timer counts as
 * one, and bytes that arrived during the pause are read before `onLate` is called.
 *
 * @returns a function that cancels the wait.
 */
export function startDeadline(ms: number, onLate: () => void): () => void {
  let looks = 0;
  let last: NodeJS.Immediate | undefined;
  const look = (): void => {
    looks += 1;
    if (looks < LOOKS) timer = setTimeout(look, ms / LOOKS);
    else last = setImmediate(onLate);
  };
  let timer = setTimeout(look, ms / LOOKS);
  return () => {
    clearTimeout(timer);
    clearImmediate(last);
  };
}
