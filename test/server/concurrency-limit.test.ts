import { expect, test } from 'vitest';
import { ConcurrencyLimit } from '../../src/server/rest/concurrency-limit.ts';

const FIGURES = { served: 2, waiting: 1 };

/** Tasks that end when they are told to. */
function openTasks(limit: ConcurrencyLimit) {
  const begun: string[] = [];
  const start = (caller: string, name: string, account?: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const task = async (): Promise<void> => {
      begun.push(name);
      await promise;
    };
    return { running: limit.run(caller, task, account), end: resolve, fail: reject };
  };
  return { begun, start };
}

test('serves as many requests of a caller as the limit, and the others in the order in which they came', async () => {
  const { begun, start } = openTasks(new ConcurrencyLimit(FIGURES));
  const tasks = ['a', 'b', 'c'].map((name) => start('one', name));
  expect(begun).toEqual(['a', 'b']);
  tasks[1]?.end();
  await tasks[1]?.running;
  expect(begun).toEqual(['a', 'b', 'c']);
  for (const { end } of tasks) end();
  await Promise.all(tasks.map(({ running }) => running));
});

test('refuses one more than may wait, with the limit and when to come again', async () => {
  const { begun, start } = openTasks(new ConcurrencyLimit(FIGURES));
  const tasks = ['a', 'b', 'c'].map((name) => start('one', name));
  const fourth = start('one', 'd');
  for (const { end } of [...tasks, fourth]) end();
  await expect(fourth.running).rejects.toMatchObject({
    code: 'tooManyRequestsAtOnce',
    context: { limit: 2, waiting: 1, retryAfterSeconds: 1 },
  });
  await Promise.all(tasks.map(({ running }) => running));
  expect(begun).toEqual(['a', 'b', 'c']);
});

test('serves as many requests of an account as of one caller, whose callers take turns', async () => {
  const { begun, start } = openTasks(new ConcurrencyLimit(FIGURES));
  const tasks = ['a1', 'a2', 'a3', 'b1', 'c1'].map((name) => start(name[0] ?? '', name, 'account'));
  start('d', 'd1', 'another');
  await Promise.resolve();
  expect(begun).toEqual(['a1', 'a2', 'd1']);
  for (const { end } of tasks) end();
  await Promise.all(tasks.map(({ running }) => running));
  expect(begun.slice(3)).toEqual(['b1', 'c1', 'a3']);
});

test('other callers have places of their own', () => {
  const { begun, start } = openTasks(new ConcurrencyLimit(FIGURES));
  for (const name of ['a', 'b', 'c']) start('one', name);
  start('two', 'd');
  expect(begun).toEqual(['a', 'b', 'd']);
});

test('a request that fails makes room for the next', async () => {
  const { begun, start } = openTasks(new ConcurrencyLimit(FIGURES));
  const [first, , third] = ['a', 'b', 'c'].map((name) => start('one', name));
  first?.fail(new Error('failed'));
  await expect(first?.running).rejects.toThrow('failed');
  expect(begun).toEqual(['a', 'b', 'c']);
  third?.end();
  await third?.running;
  start('one', 'd');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});
