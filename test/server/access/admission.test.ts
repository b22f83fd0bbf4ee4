import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Admission, createAdmission } from '../../../src/server/access/admission.ts';
import { createMemoryRateLimit } from '../../../src/server/access/rate-limit.ts';
import type { CountedCalls } from '../../../src/server/access/usage-book.ts';
import { INVALID_MESSAGE, weighMessage, weighMethod } from '../../../src/server/access/weigh.ts';

const PLAN = { name: 'small', requestsPerSecond: 10, burst: 30 };
const CALLER = { keyId: 'k1', accountId: 'a1' };

let admission: Admission;
let keys: number;
let counted: CountedCalls[];
let refusals: string[];

beforeEach(() => {
  vi.useFakeTimers({ now: 1_760_000_000_000, toFake: ['Date', 'performance', 'setTimeout', 'clearTimeout'] });
  counted = [];
  refusals = [];
  keys = 1;
  admission = createAdmission({
    rateLimit: createMemoryRateLimit(),
    planOf: () => PLAN,
    countKeys: () => keys,
    fullRateKeys: 2,
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
  expect((await admission.admitFaulty(CALLER, 0, 'parseError')).standing.remaining).toBe(29);
  expect((await admission.admitFaulty(CALLER, 16_384, 'parseError')).standing.remaining).toBe(28);
  expect((await admission.admitFaulty(CALLER, 16_385, 'parseError')).standing.remaining).toBe(26);
  expect(counted.map(({ method, outcome, weight }) => [method, outcome, weight])).toEqual([
    ['invalid', 'callerError', 1],
    ['invalid', 'callerError', 1],
    ['invalid', 'callerError', 2],
  ]);
  const { refusal } = await admission.admitFaulty(CALLER, 10_000_000, 'bodyTooLarge');
  expect(refusal).toMatchObject({ code: 'rateLimited', context: { value: 30 } });
});

test('a body weighs at least 1 for each 16 KiB begun, at most the burst; a small one what its calls weigh', async () => {
  const left = async (calls: number, sizeBytes: number) => {
    vi.advanceTimersByTime(3_000);
    const { refusal, standing } = await admission.admit(CALLER, slots(calls), sizeBytes);
    return refusal?.code ?? standing.remaining;
  };
  expect(await left(1, 16_384)).toBe(29);
  expect(await left(1, 16_385)).toBe(28);
  expect(await left(5, 65_537)).toBe(25);
  expect(await left(1, 67_108_864)).toBe(0);
  expect(await left(31, 67_108_864)).toBe('requestTooHeavy');
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

test('all keys of an account with many share the plan that many times, and a refusal charges neither them nor the key', async () => {
  const by = (keyId: string, weight: number) => admission.admit({ keyId, accountId: 'a1' }, slots(weight));
  keys = 3;
  expect((await by('k1', 30)).refusal).toBeUndefined();
  expect((await by('k1', 1)).refusal).toMatchObject({
    context: { policy: 'small', limit: 30, remaining: 0 },
  });
  expect((await by('k2', 25)).refusal).toBeUndefined();
  const { refusal, plan } = await by('k3', 6);
  expect(refusal).toMatchObject({
    code: 'rateLimited',
    context: { policy: 'small:account', limit: 60, windowMs: 3_000, remaining: 5, value: 6 },
  });
  expect(plan).toMatchObject({ name: 'small:account', requestsPerSecond: 20, burst: 60 });
  expect((await by('k3', 5)).standing.remaining).toBe(25);
  expect((await admission.preview({ keyId: 'k4', accountId: 'a1' })).refusal).toMatchObject({
    context: { policy: 'small:account' },
  });
  expect((await admission.admit({ keyId: 'k5', accountId: 'a2' }, slots(30))).refusal).toBeUndefined();
  vi.advanceTimersByTime(3_000);
  expect((await by('k4', 30)).refusal).toBeUndefined();
});

test('the keys of an account with few have the whole plan each', async () => {
  keys = 2;
  for (const keyId of ['k1', 'k2']) {
    expect((await admission.admit({ keyId, accountId: 'a1' }, slots(30))).refusal).toBeUndefined();
    const { refusal } = await admission.admit({ keyId, accountId: 'a1' }, slots(1));
    expect(refusal).toMatchObject({ context: { policy: 'small', limit: 30 } });
  }
});
