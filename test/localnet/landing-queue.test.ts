import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LandingQueue } from '../../src/localnet/landing-queue.ts';
import type { DecodedTransaction } from '../../src/core/wire/message.ts';

const DELAY_MS = 100;
const MAX_WAITING = 2_000;

const transaction = (...signatures: readonly string[]) => ({ signatures }) as unknown as DecodedTransaction;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function queueOf({ delayMs = DELAY_MS, fails = '' } = {}) {
  const landed: string[] = [];
  const failures: unknown[] = [];
  const land = ({ signatures: [signature = ''] }: DecodedTransaction): void => {
    if (signature === fails) throw new Error(`no ${signature}`);
    landed.push(signature);
  };
  const queue = new LandingQueue({ delayMs, land, onFailure: (error) => failures.push(error) });
  return { queue, landed, failures };
}

test('what is sent lands after the delay, not before, in the order in which it came', () => {
  const { queue, landed } = queueOf();
  for (const signature of ['a', 'b', 'c']) {
    queue.add(transaction(signature));
    vi.advanceTimersByTime(30);
  }
  expect([landed, queue.has(transaction('a'))]).toEqual([[], true]);
  vi.advanceTimersByTime(10);
  expect([landed, queue.has(transaction('a'))]).toEqual([['a'], false]);
  vi.advanceTimersByTime(30);
  expect(landed).toEqual(['a', 'b']);
  vi.advanceTimersByTime(30);
  expect(landed).toEqual(['a', 'b', 'c']);
  queue.add(transaction('d'));
  vi.advanceTimersByTime(DELAY_MS);
  expect(landed).toEqual(['a', 'b', 'c', 'd']);
});

test('a damaged copy on its way, with the same first signature, keeps nothing out', () => {
  const { queue, landed } = queueOf();
  queue.add(transaction('a', 'damaged'));
  queue.add(transaction('a', 'b'));
  vi.advanceTimersByTime(DELAY_MS);
  expect(landed).toEqual(['a', 'a']);
});

test('what is on its way already is not sent twice; afterwards it may be again', () => {
  const { queue, landed } = queueOf();
  for (let time = 0; time < 3; time++) queue.add(transaction('a'));
  vi.advanceTimersByTime(DELAY_MS);
  expect(landed).toEqual(['a']);
  queue.add(transaction('a'));
  vi.advanceTimersByTime(DELAY_MS);
  expect(landed).toEqual(['a', 'a']);
});

test('where too many wait the oldest lands at once', () => {
  const { queue, landed } = queueOf();
  for (let index = 0; index < MAX_WAITING + 3; index++) queue.add(transaction(`${index}`));
  expect(landed).toEqual(['0', '1', '2']);
  vi.advanceTimersByTime(10 * DELAY_MS);
  expect(landed).toHaveLength(MAX_WAITING + 3);
});

test('landing gives others a turn: after a while it continues a moment later', () => {
  let sinceTurn = 0;
  const turns: number[] = [];
  const tick = setInterval(() => {
    turns.push(sinceTurn);
    sinceTurn = 0;
  }, 1);
  const now = vi.spyOn(performance, 'now');
  let spentMs = 0;
  now.mockImplementation(() => Date.now() + spentMs);
  const land = (): void => {
    sinceTurn++;
    spentMs += 1;
  };
  const queue = new LandingQueue({ delayMs: DELAY_MS, land, onFailure: () => undefined });
  for (let index = 0; index < 100; index++) queue.add(transaction(`${index}`));
  vi.advanceTimersByTime(2 * DELAY_MS);
  clearInterval(tick);
  now.mockRestore();
  expect(turns.reduce((sum, count) => sum + count, 0)).toBe(100);
  expect(Math.max(...turns)).toBeLessThan(10);
});

test('a fault is told, and what comes behind lands', () => {
  const { queue, landed, failures } = queueOf({ fails: 'b' });
  for (const signature of ['a', 'b', 'c']) queue.add(transaction(signature));
  vi.advanceTimersByTime(DELAY_MS);
  expect([landed, failures]).toEqual([['a', 'c'], [new Error('no b')]]);
});

test('after the end nothing lands any more; without a delay everything does at once', () => {
  const { queue, landed } = queueOf();
  queue.add(transaction('a'));
  queue.stop();
  vi.advanceTimersByTime(2 * DELAY_MS);
  expect(landed).toEqual([]);
  const now = queueOf({ delayMs: 0 });
  now.queue.add(transaction('a'));
  expect(now.landed).toEqual(['a']);
});

test('a flush lands what is pending at once, in order; what comes meanwhile waits', async () => {
  const { queue, landed } = queueOf();
  for (const signature of ['a', 'b']) queue.add(transaction(signature));
  const flushed = queue.flush();
  queue.add(transaction('c'));
  await flushed;
  expect([landed, queue.has(transaction('c'))]).toEqual([['a', 'b'], true]);
  vi.advanceTimersByTime(DELAY_MS);
  expect(landed).toEqual(['a', 'b', 'c']);
});
