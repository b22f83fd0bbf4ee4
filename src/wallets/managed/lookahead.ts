/**
 * Yields the results of steps in order, each begun while the one before is being used. A failing step throws, and no further one begins;
 * `drop` gets results that nobody reads.
 */
export async function* lookahead<T>(
  steps: Iterable<() => Promise<T>>,
  drop: (value: T) => Promise<void>,
): AsyncGenerator<T, void, undefined> {
  const iterator = steps[Symbol.iterator]();
  let next = begin(iterator);
  try {
    while (next !== undefined) {
      const value = await next;
      next = begin(iterator);
      yield value;
    }
  } finally {
    await next?.then(drop, () => undefined);
  }
}

function begin<T>(steps: Iterator<() => Promise<T>>): Promise<T> | undefined {
  const step = steps.next();
  if (step.done === true) return undefined;
  const made = step.value();
  // A failure is thrown when the reader comes to it; before that it must not count as unhandled.
  made.catch(() => undefined);
  return made;
}
