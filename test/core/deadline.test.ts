import { stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startDeadline } from '../../src/core/deadline.ts';
import { standStill } from '../support/stand-still.ts';

const LIMIT_MS = 40;

/** Tells which comes first: something that comes in while this process may stand still, or the end of the wait. */
function firstOf(coming: Promise<unknown>): Promise<'answer' | 'late'> {
  const { promise, resolve } = Promise.withResolvers<'answer' | 'late'>();
  const end = startDeadline(LIMIT_MS, () => resolve('late'));
  void coming.then(() => {
    end();
    resolve('answer');
  });
  return promise;
}

test('what came while this process stood still is read before the wait is over', async () => {
  await setImmediate();
  const first = firstOf(stat('.'));
  standStill(10 * LIMIT_MS);
  expect(await first).toBe('answer');
});

test('what came while this process stood still at the end of the wait is read first', async () => {
  const coming = Promise.withResolvers<unknown>();
  const first = firstOf(coming.promise);
  // Until the last look is due.
  setTimeout(() => {
    stat('.').then(coming.resolve);
    standStill(2 * LIMIT_MS);
  }, LIMIT_MS * 0.75);
  expect(await first).toBe('answer');
});

test('the wait ends where nothing comes, and not after it was ended', async () => {
  const begunMs = performance.now();
  expect(await firstOf(new Promise(() => undefined))).toBe('late');
  expect(performance.now() - begunMs).toBeGreaterThanOrEqual(LIMIT_MS - 4);
  let calls = 0;
  const end = startDeadline(LIMIT_MS, () => {
    calls += 1;
  });
  end();
  expect(await firstOf(new Promise(() => undefined))).toBe('late');
  expect(calls).toBe(0);
});
