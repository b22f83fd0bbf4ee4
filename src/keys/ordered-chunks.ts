/** What a job does, step by step; each step is begun by calling it. */
export type Steps<T> = Iterator<() => Promise<T>>;

/** How a stream is run: at most `window` steps ahead of its reader; `drop` gets what nobody reads any more. */
export type StreamRules<T> = {
  readonly window: number;
  readonly signal: AbortSignal;
  readonly drop: (value: T) => void;
};

/**
 * The results of steps in their order. A reader that does not read has at most `window` steps done or running; an aborted
 * signal throws its reason at once; a step that fails throws and no further one is begun.
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

/** A step's failure is thrown when the reader comes to it; before that it must not count as unhandled. */
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
