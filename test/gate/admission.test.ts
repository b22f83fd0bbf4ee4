import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Admission, createAdmission } from '../../src/gate/admission.ts';
import { createMemoryRateLimit } from '../../src/gate/memory-rate-limit.ts';
import type { CountedCalls } from '../../src/gate/usage-book.ts';
import { INVALID_MESSAGE, weighMessage, weighMethod } from '../../src/gate/weigh.ts';

const PLAN = { name: 'small', requestsPerSecond: 10, burst: 30 };
const CALLER = { keyId: 'k1', accountId: 'a1' };

let admission: Admission;
let counted: CountedCalls[];
let refusals: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_760_000_000_000, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  counted = [];
  refusals = [];
  admission = createAdmission({
    rateLimit: createMemoryRateLimit(),
    planOf: () => PLAN,
    network: 'n',
    count: (message) => void counted.push(message),
    onRefusal: (plan, error) => void refusals.push(`${plan} ${error}`),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

const slots = (count: number) => Array.from({ length: count }, () => weighMethod('getSlot'));

test('a call weighs what its method costs, an unknown method and what is no call weigh 1', () => {
  expect(weighMethod('getProgramAccounts')).toEqual({ method: 'getProgramAccounts', weight: 20 });
  expect(weighMethod('getSlot')).toEqual({ method: 'getSlot', weight: 1 });
  expect(weighMethod('constructor')).toEqual({ method: 'unknown', weight: 1 });
  expect(weighMethod('GETSLOT')).toEqual({ method: 'unknown', weight: 1 });
  expect(INVALID_MESSAGE.weight).toBe(1);
});

test('a batch weighs the sum of its items, and is refused as a whole', async () => {
  await admission.admit(CALLER, slots(25));
  const { refusal, standing } = await admission.admit(CALLER, slots(6));
  expect(refusal).toMatchObject({
    code: 'rateLimited',
    context: { policy: 'small', limit: 30, windowMs: 3_000, remaining: 5, value: 6, retryAfterSeconds: 3 },
  });
  expect(standing).toMatchObject({ remaining: 5 });
  expect((await admission.admit(CALLER, slots(5))).refusal).toBeUndefined();
});

test('what is refused is counted for each message, told apart, and by name', async () => {
  await admission.admit(CALLER, slots(29));
  await admission.admit(CALLER, [weighMethod('getBlock'), INVALID_MESSAGE]);
  expect(counted.map(({ keyId, network, method, outcome }) => [keyId, network, method, outcome])).toEqual([
    ['k1', 'n', 'getBlock', 'refused'],
    ['k1', 'n', 'invalid', 'refused'],
  ]);
  expect(refusals).toEqual(['small rateLimited']);
});

test('waiting is told in whole seconds, at least one, and never too short', async () => {
  await admission.admit(CALLER, slots(30));
  const after = async (ms: number): Promise<unknown> => {
    vi.advanceTimersByTime(ms);
    return (await admission.admit(CALLER, slots(1))).refusal?.context.retryAfterSeconds;
  };
  expect([await after(0), await after(1), await after(999), await after(1_001)]).toEqual([3, 3, 2, 1]);
  expect([await after(998), await after(1)]).toEqual([1, undefined]);
});

test('what is as heavy as the burst is taken; what is heavier never is, says so, and is not free', async () => {
  expect((await admission.admit(CALLER, slots(30))).refusal).toBeUndefined();
  vi.advanceTimersByTime(3_000);
  const { refusal, standing } = await admission.admit(CALLER, slots(31));
  expect(refusal).toMatchObject({
    code: 'requestTooHeavy',
    context: { policy: 'small', limit: 30, value: 31 },
  });
  expect(standing.remaining).toBe(29);
});

test('what is heavier than the burst is told so when the window is used up too, and takes nothing then', async () => {
  await admission.admit(CALLER, slots(30));
  const { refusal, standing } = await admission.admit(CALLER, slots(31));
  expect([refusal?.code, standing.remaining]).toEqual(['requestTooHeavy', 0]);
  expect((await admission.admit(CALLER, slots(30))).refusal?.code).toBe('rateLimited');
  expect(refusals).toEqual(['small requestTooHeavy', 'small rateLimited']);
});

test('a request without a message weighs by its size, and counts as an error of the caller', async () => {
  expect((await admission.admitFaulty(CALLER, 0)).standing.remaining).toBe(29);
  expect((await admission.admitFaulty(CALLER, 16_384)).standing.remaining).toBe(28);
  expect((await admission.admitFaulty(CALLER, 16_385)).standing.remaining).toBe(26);
  expect(counted.map(({ method, outcome, weight }) => [method, outcome, weight])).toEqual([
    ['invalid', 'callerError', 1],
    ['invalid', 'callerError', 1],
    ['invalid', 'callerError', 2],
  ]);
  const { refusal } = await admission.admitFaulty(CALLER, 10_000_000);
  expect(refusal).toMatchObject({ code: 'rateLimited', context: { value: 30 } });
});

test('admitted messages that are no calls count as errors of the caller; calls and an empty batch are not counted here', async () => {
  await admission.admit(CALLER, [weighMethod('getSlot'), INVALID_MESSAGE, INVALID_MESSAGE]);
  await admission.admit(CALLER, weighMessage({ kind: 'batch', envelopes: [] }));
  expect(counted.map(({ method, outcome, weight }) => [method, outcome, weight])).toEqual([
    ['invalid', 'callerError', 1],
    ['invalid', 'callerError', 1],
  ]);
  expect((await admission.preview(CALLER)).standing.remaining).toBe(26);
});

test('a preview takes nothing, and refuses only a key that has nothing left', async () => {
  await admission.admit(CALLER, slots(29));
  expect(await admission.preview(CALLER)).toMatchObject({ refusal: undefined, standing: { remaining: 1 } });
  expect((await admission.admit(CALLER, slots(1))).refusal).toBeUndefined();
  expect(await admission.preview(CALLER)).toMatchObject({ refusal: { code: 'rateLimited' } });
  expect(counted).toMatchObject([{ method: 'unread', outcome: 'refused' }]);
  vi.advanceTimersByTime(3_000);
  expect((await admission.preview(CALLER)).refusal).toBeUndefined();
});
