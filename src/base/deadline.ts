/** The wait is counted in so many looks. */
const LOOKS = 4;

/**
 * Calls `onLate` once, `ms` milliseconds from now. What came while this process stood still is read before that: a look that comes late
 * counts as one, however late it is, and what lies in the sockets at the last one is read first.
 *
 * @returns a function that ends the wait.
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
