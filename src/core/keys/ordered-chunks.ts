/** The steps of a job; calling one begins it. */
export type Steps<T> = Iterator<() => Promise<T>>;

/** Rules of a stream: at most `window` steps ahead of its reader; `drop` gets unread results. */
export type StreamRules<T> = {
  readonly window: number;
  readonly signal: AbortSignal;
  readonly drop: (value: T) => void;
};

/**
 * Yields the results of steps in order. If the reader pauses, at most `window` steps are done or running; an aborted signal throws its
 * reason at once; a failing step throws and no further one begins.
 */
export async function* inOrder<T>(
  steps: Steps<T>,
  { window, signal, drop }: StreamRules<T>,
): AsyncGenerator<T, void, undefined> {
  const running: Promise<T>[] = [];
  const abortion = rejectOnAbort(signal);
  const refill = (): void => {
    while (running.length < window) {
      const next = steps.next();
      if (next.done === true) return;
      const step = next.value();
      step.catch(leaveToReader);
      running.push(step);
    }
  };
  try {
    refill();
    for (let head = running[0]; head !== undefined; head = running[0]) {
      const value = await Promise.race([head, abortion.promise]);
      running.shift();
      refill();
      yield value;
      signal.throwIfAborted();
    }
  } finally {
    abortion.forget();
    for (const step of running) void step.then(drop, leaveToReader);
  }
}

/** A step's failure is thrown when the reader gets to it; until then it must not count as unhandled. */
function leaveToReader(): undefined {
  return undefined;
}

function rejectOnAbort(signal: AbortSignal): {
  readonly promise: Promise<never>;
  readonly forget: () => void;
} {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(leaveToReader);
  const leave = (): void => reject(signal.reason);
  if (signal.aborted) leave();
  signal.addEventListener('abort', leave, { once: true });
  return { promise, forget: () => signal.removeEventListener('abort', leave) };
}
