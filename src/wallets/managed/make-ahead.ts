/**
 * The results of steps in their order, each begun while the one before is worked on. A step that fails throws, and no further one is
 * begun; `drop` gets what was made and nobody reads.
 */
export async function* makeAhead<T>(
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
