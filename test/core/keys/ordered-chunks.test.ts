import { expect, test } from 'vitest';
import { inOrder } from '../../../src/core/keys/ordered-chunks.ts';
import { readAll } from './read-all.ts';

const never = new AbortController().signal;

/** Steps that are finished by hand, and how many were begun. */
function manual(count: number) {
  const begun: PromiseWithResolvers<number>[] = [];
  function* steps() {
    for (let at = 0; at < count; at += 1) {
      yield () => {
        const step = Promise.withResolvers<number>();
        begun.push(step);
        return step.promise;
      };
    }
  }
  return { begun, steps: steps() };
}

test('gives results in order, however they come', async () => {
  const { begun, steps } = manual(3);
  const stream = inOrder(steps, { window: 3, signal: never, drop: () => undefined });
  const reading = readAll(stream);
  for (const at of [2, 0, 1]) begun[at]?.resolve(at);
  expect(await reading).toEqual([0, 1, 2]);
});

test('begins nothing before it is read, and at most its window ahead of the reader', async () => {
  const { begun, steps } = manual(1000);
  const stream = inOrder(steps, { window: 4, signal: never, drop: () => undefined });
  expect(begun).toHaveLength(0);
  for (let read = 0; read < 3; read += 1) {
    const next = stream.next();
    begun[read]?.resolve(read);
    expect(await next).toEqual({ value: read, done: false });
    expect(begun).toHaveLength(read + 5);
  }
  await stream.return();
});

test('drops what was begun and not read when the reader leaves', async () => {
  const { begun, steps } = manual(10);
  const dropped: number[] = [];
  const stream = inOrder(steps, { window: 3, signal: never, drop: (value) => dropped.push(value) });
  const first = stream.next();
  begun[0]?.resolve(0);
  await first;
  await stream.return();
  for (const at of [1, 2, 3]) begun[at]?.resolve(at);
  await Promise.all(begun.map(({ promise }) => promise));
  expect(dropped).toEqual([1, 2, 3]);
  expect(begun).toHaveLength(4);
});

test('throws what a step failed with, and begins no further one', async () => {
  const { begun, steps } = manual(10);
  const stream = inOrder(steps, { window: 2, signal: never, drop: () => undefined });
  const first = stream.next();
  begun[0]?.reject(new Error('broken'));
  await expect(first).rejects.toThrow('broken');
  expect(begun).toHaveLength(2);
});

test('throws the reason of an aborted signal at once, while a step still runs', async () => {
  const { begun, steps } = manual(10);
  const dropped: number[] = [];
  const abort = new AbortController();
  const drop = (value: number) => dropped.push(value);
  const stream = inOrder(steps, { window: 2, signal: abort.signal, drop });
  const first = stream.next();
  abort.abort(new Error('the client left'));
  await expect(first).rejects.toThrow('the client left');
  for (const [at, step] of begun.entries()) step.resolve(at);
  await Promise.all(begun.map(({ promise }) => promise));
  expect(dropped).toEqual([0, 1]);
});
