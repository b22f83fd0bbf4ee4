import { AsyncLocalStorage } from 'node:async_hooks';
import { vi } from 'vitest';
import { StoreClient } from '../../src/store/store-client.ts';

/** Counts what a task submits to the store. Other tasks of the process, which share the store, are not counted. */
export async function countSubmits<T>(
  task: () => Promise<T>,
): Promise<readonly [result: T, submits: number]> {
  const counted = new AsyncLocalStorage<true>();
  const submit = StoreClient.prototype.submit;
  let submits = 0;
  const spy = vi.spyOn(StoreClient.prototype, 'submit').mockImplementation(function (
    this: StoreClient,
    ...args: Parameters<typeof submit>
  ) {
    if (counted.getStore()) submits += 1;
    Reflect.apply(submit, this, args);
  });
  try {
    return [await counted.run(true, task), submits];
  } finally {
    spy.mockRestore();
  }
}
