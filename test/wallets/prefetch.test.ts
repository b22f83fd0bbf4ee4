import { expect, test, vi } from 'vitest';
import { prefetch } from '../../src/wallets/client/begin-charged.ts';

/** Counts to three, and tells what becomes of it. */
function counting() {
  const seen: string[] = [];
  const count = async function* (): AsyncGenerator<number, void, undefined> {
    try {
      for (const step of [1, 2, 3]) {
        seen.push(`makes ${step}`);
        yield step;
      }
    } finally {
      seen.push('ends');
    }
  };
  return { seen, count };
}

test('a stream works on its first step before it is read, on the others when they are', async () => {
  const { seen, count } = counting();
  const drop = vi.fn();
  const { steps } = prefetch(count(), drop);
  expect(seen).toEqual(['makes 1']);
  expect(await steps.next()).toEqual({ done: false, value: 1 });
  expect(seen).toEqual(['makes 1']);
  const rest: number[] = [];
  for await (const step of steps) rest.push(step);
  expect([rest, seen.at(-1), drop.mock.calls]).toEqual([[2, 3], 'ends', []]);
});

test('a reader that leaves ends the stream', async () => {
  const { seen, count } = counting();
  for await (const step of prefetch(count(), () => undefined).steps) if (step === 2) break;
  expect(seen).toEqual(['makes 1', 'makes 2', 'ends']);
});

test('where nobody comes to read, what was made is dropped and the stream ended', async () => {
  const { seen, count } = counting();
  const drop = vi.fn();
  await prefetch(count(), drop).release();
  expect([drop.mock.calls, seen]).toEqual([[[1]], ['makes 1', 'ends']]);
});

test('a first step that fails is thrown to the reader, and to nobody where there is none', async () => {
  const fail = async function* (): AsyncGenerator<number, void, undefined> {
    yield await Promise.reject<number>(new Error('no randomness'));
  };
  await expect(prefetch(fail(), () => undefined).steps.next()).rejects.toThrow('no randomness');
  const drop = vi.fn();
  await prefetch(fail(), drop).release();
  expect(drop).not.toHaveBeenCalled();
});
