import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ProofOptions, startProofs } from '../../../src/account/service-level/start-proofs.ts';
import { systemClock } from '../../../src/core/clock.ts';

/** Begins a part of a minute, and a minute. */
const START = Date.UTC(2026, 1, 3, 4, 5);

beforeEach(() => void vi.useFakeTimers({ now: START + 1_000 }));
afterEach(() => void vi.useRealTimers());

const after = <T>(ms: number, value: T): Promise<T> =>
  new Promise((resolve) => setTimeout(() => resolve(value), ms));

function start(own: Partial<ProofOptions> = {}) {
  const [proved, outcomes, lines]: [number[], string[], string[]] = [[], [], []];
  const write = (kind: string) => (first: unknown, text?: string) =>
    void lines.push(`${kind} ${text === undefined ? String(first) : `${JSON.stringify(first)} ${text}`}`);
  const stop = startProofs({
    askSigner: async () => 'ready',
    store: async (instantMs) => {
      proved.push(instantMs - START);
      return true;
    },
    onOutcome: (outcome) => void outcomes.push(outcome),
    clock: systemClock,
    log: { error: write('error'), info: write('info') },
    ...own,
  });
  return { proved, outcomes, lines, stop };
}

test('proves at once, and then in the middle of every five seconds', async () => {
  const { proved, outcomes, stop } = start();
  await vi.advanceTimersByTimeAsync(60_000);
  const middles = Array.from({ length: 12 }, (_, part) => part * 5_000 + 2_500);
  expect(proved).toEqual([1_000, ...middles]);
  expect(new Set(outcomes)).toEqual(new Set(['proved']));
  await stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(proved).toHaveLength(13);
  expect(vi.getTimerCount()).toBe(0);
});

test('a proof that takes almost as long as it may loses no other one', async () => {
  const { proved, stop } = start({ askSigner: () => after(3_999, 'ready') });
  await vi.advanceTimersByTimeAsync(61_000);
  expect(proved).toHaveLength(12);
  expect(new Set(proved.map((ms) => Math.floor(ms / 5_000))).size).toBe(12);
  await Promise.all([stop(), vi.advanceTimersByTimeAsync(5_000)]);
});

test('a signer that answers that it cannot be used proves nothing, and the store is not asked', async () => {
  const { proved, outcomes, stop } = start({ askSigner: async () => 'signerUnavailable' });
  await vi.advanceTimersByTimeAsync(2_000);
  expect([proved, outcomes]).toEqual([[], ['signer', 'signer']]);
  await stop();
});

test('an answer of the signer after four seconds is late', async () => {
  const { proved, outcomes, stop } = start({ askSigner: () => after(4_000, 'ready') });
  await vi.advanceTimersByTimeAsync(4_000);
  expect([proved, outcomes]).toEqual([[], ['signer']]);
  await Promise.all([stop(), vi.advanceTimersByTimeAsync(5_000)]);
});

test('a store that answers after four seconds is late, and is told so', async () => {
  const late: boolean[] = [];
  const store: ProofOptions['store'] = async (_, isLate) => {
    late.push(isLate());
    await after(4_000, true);
    late.push(isLate());
    return !isLate();
  };
  const { outcomes, stop } = start({ store });
  await vi.advanceTimersByTimeAsync(4_000);
  expect([outcomes, late]).toEqual([['store'], [false, true]]);
  await Promise.all([stop(), vi.advanceTimersByTimeAsync(5_000)]);
});

test('a process that was stopped meanwhile is late, though its timers are too', async () => {
  const late: boolean[] = [];
  const store: ProofOptions['store'] = async (_, isLate) => {
    vi.setSystemTime(START + 60_000);
    late.push(isLate());
    return !isLate();
  };
  const { outcomes, stop } = start({ store });
  await vi.advanceTimersByTimeAsync(1);
  expect([outcomes, late]).toEqual([['store'], [true]]);
  await stop();
});

test('it is logged once that proofs fail, with the reason, and once that they are back', async () => {
  let failure: Error | undefined = new Error('the disk is full');
  const store: ProofOptions['store'] = async () => {
    if (failure !== undefined) throw failure;
    return true;
  };
  const { outcomes, lines, stop } = start({ store });
  await vi.advanceTimersByTimeAsync(7_000);
  failure = undefined;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(outcomes).toEqual(['store', 'store', 'store', 'proved', 'proved']);
  expect(lines).toEqual([
    'error {"part":"store","reason":"the disk is full"} cannot serve wallets: this time counts as downtime',
    'info serving wallets again',
  ]);
  await stop();
});
