import { describe, expect, test } from 'vitest';
import {
  AsyncDisposableStack,
  AsyncStack,
  DisposableStack,
  SyncStack,
} from '../../src/core/disposable-stack.ts';
import { readSources } from '../support/source-files.ts';

describe.each([
  ["Node's own", AsyncDisposableStack, DisposableStack],
  ['that for Node 22', AsyncStack, SyncStack],
])('%s', (_, Async, Sync) => {
  test('disposes in reverse order, once, whatever fails', async () => {
    const ran: number[] = [];
    const stack = new Async();
    stack.defer(() => void ran.push(1));
    stack.defer(async () => {
      await Promise.resolve();
      ran.push(2);
      throw new Error('two');
    });
    stack.defer(() => void ran.push(3));
    await expect(stack.disposeAsync()).rejects.toThrow('two');
    await stack[Symbol.asyncDispose]();
    expect(ran).toEqual([3, 2, 1]);
    const sync = new Sync();
    sync.defer(() => void ran.push(4));
    sync.defer(() => void ran.push(5));
    sync[Symbol.dispose]();
    expect(ran).toEqual([3, 2, 1, 5, 4]);
  });

  test('hands over what was deferred', async () => {
    const ran: string[] = [];
    const first = new Async();
    first.defer(() => void ran.push('deferred'));
    const moved = first.move();
    await first.disposeAsync();
    expect(ran).toEqual([]);
    await moved.disposeAsync();
    expect(ran).toEqual(['deferred']);
  });
});

test('every source takes the stacks from here: Node 22 has none', () => {
  const without = readSources('src').filter(
    ({ text }) =>
      /\bDisposableStack\(|\bAsyncDisposableStack\b/.test(text) && !text.includes('/disposable-stack.ts'),
  );
  expect(without.map(({ path }) => path)).toEqual(['src/core/disposable-stack.ts']);
});
