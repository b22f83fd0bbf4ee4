import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPaceMeter } from '../../../../src/gateway/nodes/network/measure-pace.ts';
import { Pace } from '../../../../src/gateway/nodes/network/pace.ts';
import { LOST, type Played, playedNode } from './played-node.ts';
import { rounds } from '../../../support/tier.ts';

const MINUTE_MS = 60_000;
const SAMPLES = 'getRecentPerformanceSamples';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const sample = (numSlots: unknown, samplePeriodSecs: unknown = 60) => ({
  slot: 7,
  numSlots,
  samplePeriodSecs,
});
/** A node with these samples, and these slots one after the other. */
function nodeWith(samples: unknown, slots: readonly unknown[] = []) {
  let turn = 0;
  return playedNode((method): Played => {
    if (method === SAMPLES) return { result: samples };
    return { result: slots[Math.min(turn++, slots.length - 1)] };
  });
}

function metered(...nodes: ReturnType<typeof nodeWith>[]) {
  const pace = new Pace(() => performance.now());
  const meter = createPaceMeter(nodes, pace);
  meter.start();
  return { pace, meter };
}

/** Announces a slot each 400 ms. */
async function announce(pace: Pace, first: number, slots: number): Promise<void> {
  for (let slot = first; slot < first + slots; slot++) {
    pace.announce(slot);
    await pass(400);
  }
}

test('samples tell it at the start: all slots by all of the time', async () => {
  const node = nodeWith([sample(150), sample(120), sample(0), sample(30, 15)]);
  const { pace, meter } = metered(node);
  await pass(0);
  expect(pace.standing()).toEqual({ slotMs: 650, source: 'samples' });
  expect(node.seen).toEqual([{ method: SAMPLES, isOurs: true, params: [5] }]);
  meter.stop();
});

test('they are asked for every minute, while no notifications tell it', async () => {
  const node = nodeWith([sample(150)]);
  const { pace, meter } = metered(node);
  await pass(2 * MINUTE_MS);
  expect(node.asked(SAMPLES)).toBe(3);
  await announce(pace, 100, 300);
  expect([node.asked(SAMPLES), pace.standing().source]).toEqual([3, 'notifications']);
  pace.forget();
  await pass(MINUTE_MS);
  expect([node.asked(SAMPLES), pace.standing().source]).toEqual([4, 'samples']);
  meter.stop();
});

test('the first node that tells it is asked, and no other; one that is down or refuses is passed over', async () => {
  const down = playedNode(() => ({ fails: LOST }));
  const refusing = playedNode(() => ({ result: null }));
  const good = nodeWith([sample(150)]);
  const last = nodeWith([sample(300)]);
  const { pace, meter } = metered(down, refusing, good, last);
  await pass(0);
  expect(pace.slotMs).toBe(400);
  expect([down, refusing, good, last].map((node) => node.asked(SAMPLES))).toEqual([1, 1, 1, 0]);
  meter.stop();
});

test('a node without samples is asked for its slot every five seconds, until ten have gone by', async () => {
  const node = nodeWith([], [100, 104, 109, 110]);
  const { pace, meter } = metered(node);
  await pass(14_999);
  expect(pace.slotMs).toBeUndefined();
  await pass(1);
  expect(pace.standing()).toEqual({ slotMs: 1_500, source: 'slots' });
  expect(node.seen.at(-1)).toEqual({
    method: 'getSlot',
    isOurs: true,
    params: [{ commitment: 'processed' }],
  });
  await pass(59_999);
  expect(node.asked('getSlot')).toBe(4);
  await pass(1);
  expect(node.asked('getSlot')).toBe(5);
  meter.stop();
});

test('a chain that started again is measured from there', async () => {
  const { pace, meter } = metered(nodeWith([], [5_000, 3, 13]));
  await pass(10_000);
  expect(pace.standing()).toEqual({ slotMs: 500, source: 'slots' });
  meter.stop();
});

test.each([
  ['no list', { numSlots: 150, samplePeriodSecs: 60 }],
  ['what is no sample', [null, 7, 'x', [], {}]],
  ['no numbers', [sample('150'), sample(150, '60'), sample(null)]],
  ['less than nothing', [sample(-150), sample(150, -60)]],
  ['parts of slots', [sample(1.5), sample(150, 0.5)]],
  ['no time', [sample(150, 0)]],
  ['no slots', [sample(0)]],
  ['a slot of a tenth of a millisecond', [sample(600_000)]],
  ['a slot of an hour', [sample(1, 3_600)]],
])('samples of %s are none: the slots are asked for', async (_what, samples) => {
  const { pace, meter } = metered(nodeWith(samples, [100, 150]));
  await pass(5_000);
  expect(pace.standing()).toEqual({ slotMs: 100, source: 'slots' });
  meter.stop();
});

test('a node that never answers is given up, and the next one asked', async () => {
  const silent = playedNode(() => 'nothing');
  const { pace, meter } = metered(silent, nodeWith([sample(150)]));
  await pass(4_999);
  expect(pace.slotMs).toBeUndefined();
  await pass(1);
  expect(pace.slotMs).toBe(400);
  meter.stop();
});

test('whatever nodes answer, the pace keeps its bounds and the meter keeps running', async () => {
  const number = fc.oneof(fc.integer(), fc.double(), fc.jsonValue());
  const samples = fc.array(fc.record({ numSlots: number, samplePeriodSecs: number }));
  const answer = fc.oneof(fc.jsonValue(), samples);
  await fc.assert(
    fc.asyncProperty(
      answer,
      fc.array(fc.oneof(fc.nat(), fc.jsonValue()), { minLength: 1 }),
      async (said, slots) => {
        const node = nodeWith(said, slots);
        const { pace, meter } = metered(node);
        await pass(3 * MINUTE_MS);
        const { slotMs = 400 } = pace;
        expect(slotMs).toBeGreaterThanOrEqual(5);
        expect(slotMs).toBeLessThanOrEqual(120_000);
        expect(node.asked(SAMPLES)).toBeGreaterThanOrEqual(3);
        meter.stop();
      },
    ),
    { numRuns: rounds(50) },
  );
});

test('once it is stopped nothing is asked any more, and no timer stays', async () => {
  const node = nodeWith([sample(150)]);
  const silent = playedNode(() => 'nothing');
  const [one, other] = [metered(node), metered(silent, nodeWith([sample(300)]))];
  await pass(0);
  one.meter.stop();
  other.meter.stop();
  await pass(10 * MINUTE_MS);
  expect([node.asked(SAMPLES), silent.asked(SAMPLES), other.pace.slotMs]).toEqual([1, 1, undefined]);
  expect(vi.getTimerCount()).toBe(0);
});
