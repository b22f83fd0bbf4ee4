import { expect, test } from 'vitest';
import { DURATIONS_UP_TO_S, p99Of } from '../../../src/account/usage/call-durations.ts';

/** Counts of calls, by the end of their bucket in seconds; those beyond the last bucket at infinity. */
function counts(own: Readonly<Record<number, number>>): readonly number[] {
  return [...DURATIONS_UP_TO_S, Number.POSITIVE_INFINITY].map((upToS) => own[upToS] ?? 0);
}

test('without calls there is no time that they take', () => {
  expect([p99Of([]), p99Of(counts({}))]).toEqual([undefined, undefined]);
});

test('99 of 100 calls took no longer than what is told, to the call', () => {
  expect(p99Of(counts({ 0.005: 99, 1: 1 }))).toBe(5);
  expect(p99Of(counts({ 0.005: 99, 1: 2 }))).toBe(1_000);
  expect(p99Of(counts({ 0.0025: 1 }))).toBe(3);
});

test('of calls beyond the last bucket no time is told', () => {
  expect(p99Of(counts({ 30: 99, [Number.POSITIVE_INFINITY]: 1 }))).toBe(30_000);
  expect(p99Of(counts({ 30: 98, [Number.POSITIVE_INFINITY]: 2 }))).toBe(Infinity);
});
