/** A stream that works on its first step before anybody reads it. Read its steps, or leave it. */
export type Prefetched<T> = {
  readonly steps: AsyncGenerator<T, void, undefined>;
  /** Ends an unread stream; resolves when it has stopped, whatever the result of its first step. */
  readonly release: () => Promise<void>;
};

/** Begins the first step of a stream; `drop` gets its result if nobody reads it. A failure is thrown to the reader. */
export function prefetch<T>(
  stream: AsyncGenerator<T, void, undefined>,
  drop: (value: T) => void,
): Prefetched<T> {
  const first = stream.next();
  first.catch(() => undefined);
  return {
    steps: goOn(first, stream),
    release: async () => {
      try {
        const step = await first.catch(() => undefined);
        if (step?.done === false) drop(step.value);
      } finally {
        await stream.return();
      }
    },
  };
}

async function* goOn<T>(
  first: Promise<IteratorResult<T, void>>,
  stream: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  try {
    for (let step = await first; step.done !== true; step = await stream.next()) yield step.value;
  } finally {
    await stream.return();
  }
}
