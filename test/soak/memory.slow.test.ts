import { expect, test } from 'vitest';
import { growthOf, isRunning } from './fuzz/memory.ts';
import { faultOfReply } from './fuzz/judge-reply.ts';

const samplesOf = (bytesAt: (at: number) => number) =>
  Array.from({ length: 1_200 }, (_, at) => ({ atMs: at * 500, bytes: bytesAt(at) }));

test('a saw tooth does not grow, a leak beneath it does', () => {
  const tooth = (at: number): number => 200 + (at % 20) * 5;
  expect(Math.abs(growthOf(samplesOf(tooth)) ?? 100)).toBeLessThan(5);
  const leaking = growthOf(samplesOf((at) => tooth(at) + at / 6));
  expect(leaking).toBeGreaterThan(90);
  expect(leaking).toBeLessThan(110);
});

test('what a heap takes at first is no growth', () => {
  const taking = samplesOf((at) => 500 - 300 * Math.exp(-at / 60));
  expect(growthOf(taking)).toBeLessThan(5);
});

test('a few samples tell nothing', () => {
  expect(growthOf(samplesOf(() => 1).slice(0, 1_198))).toBeUndefined();
});

test('a process that is there is running, one that is not is not', () => {
  expect([isRunning(process.pid), isRunning(2 ** 30)]).toEqual([true, false]);
});

test('answers and notifications are allowed, what is no JSON-RPC and an internal error are not', () => {
  for (const text of [
    '{"jsonrpc":"2.0","result":1,"id":1}',
    '[{"jsonrpc":"2.0","result":1,"id":1}]',
    '{"jsonrpc":"2.0","error":{"code":-32602,"message":"x"},"id":null}',
    '{"jsonrpc":"2.0","method":"slotNotification","params":{}}',
  ])
    expect(faultOfReply(text)).toBeUndefined();
  for (const text of [
    '',
    '[]',
    'Internal Server Error',
    '{"jsonrpc":"2.0","id":1}',
    '{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"},"id":1}',
    '{"jsonrpc":"2.0","error":{"code":-1,"message":"x"},"id":1}',
  ])
    expect(faultOfReply(text)).toBeDefined();
});
