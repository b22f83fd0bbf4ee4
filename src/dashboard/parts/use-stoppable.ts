import { useCallback, useEffect, useRef } from 'react';

/** Work that can be stopped, and that stops when the page is left. */
export type Stoppable = {
  /** Returns the signal of new work, and stops the previous work. */
  readonly begin: () => AbortSignal;
  readonly stop: () => void;
};

/** Returns functions that start and stop the work of a component. */
export function useStoppable(): Stoppable {
  const current = useRef<AbortController>(undefined);
  const stop = useCallback(() => current.current?.abort(), []);
  const begin = useCallback(() => {
    current.current?.abort();
    current.current = new AbortController();
    return current.current.signal;
  }, []);
  useEffect(() => stop, [stop]);
  return { begin, stop };
}
