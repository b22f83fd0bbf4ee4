import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inOrder, NodeTurns, type PubsubRank } from '../../../src/gateway/nodes/node-turns.ts';

type Named = {
  readonly name: string;
  readonly addresses: readonly string[];
  readonly rank?: PubsubRank;
  readonly known: { readonly order?: number };
};

const node = (name: string, rank?: PubsubRank, order?: number): Named => ({
  name,
  addresses: [`ws://${name}`],
  ...(rank === undefined ? {} : { rank }),
  known: order === undefined ? {} : { order },
});
const ranked = (name: string, isHealthy: boolean, lagSlots: number, order?: number): Named =>
  node(name, { isHealthy, lagSlots }, order);

const NODES = [node('one'), node('two'), node('three')];
const SILENT = { toldSlots: false, served: false };
const ANNOUNCED = { toldSlots: true, served: false };
const SERVED = { toldSlots: true, served: true };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** The nodes that are due now, one after the other: each is lost at once. */
function allDue(turns: NodeTurns, nodes: readonly Named[]): readonly string[] {
  const due: string[] = [];
  for (let next = turns.next(nodes); next !== undefined; next = turns.next(nodes)) {
    due.push(next.name);
    turns.lose(next, SILENT);
  }
  return due;
}

test('subscriptions are made at a healthy node first, then at the newest, then at the one that is ahead', () => {
  const nodes = [
    ranked('degraded, ahead', false, 0, 5),
    ranked('behind by 8', true, 8, 4),
    ranked('unknown', true, 0),
    ranked('behind by 4', true, 4, 4),
    ranked('newest, behind by 20', true, 20, 5),
  ];
  expect(inOrder(nodes).map(({ name }) => name)).toEqual([
    ...['newest, behind by 20', 'behind by 4', 'behind by 8', 'unknown', 'degraded, ahead'],
  ]);
});

test('the nodes are connected to one after the other without a pause, and then each has its own', () => {
  const turns = new NodeTurns();
  expect(allDue(turns, NODES)).toEqual(['one', 'two', 'three']);
  expect(turns.waitMs(NODES)).toBeGreaterThan(37);
  vi.advanceTimersByTime(63);
  expect(allDue(turns, NODES)).toEqual(['one', 'two', 'three']);
  expect(turns.waitMs(NODES)).toBeGreaterThan(74);
});

test('a node that is lost again and again does not hold up another', () => {
  const turns = new NodeTurns();
  const [bad, good] = NODES as [Named, Named];
  for (let times = 0; times < 10; times++) {
    turns.lose(bad, SILENT);
    turns.lose(good, SERVED);
    vi.advanceTimersByTime(63);
    expect([times, turns.waitMs([bad, good])]).toEqual([times, 0]);
  }
  // At least 750, of which 63 have passed.
  expect(turns.waitMs([bad])).toBeGreaterThanOrEqual(687);
  expect(turns.next([bad, good])?.name).toBe('two');
});

test('the pause of a node ends at 1 s, and starts again at 50 ms once it has announced a slot', () => {
  const turns = new NodeTurns();
  const [only] = NODES as [Named];
  for (let times = 0; times < 12; times++) turns.lose(only, SILENT);
  expect(turns.waitMs([only])).toBeGreaterThan(740);
  expect(turns.waitMs([only])).toBeLessThanOrEqual(1_250);
  turns.lose(only, ANNOUNCED);
  expect(turns.waitMs([only])).toBeLessThanOrEqual(63);
});

test('a node that served and was lost comes behind those that were not tried since', () => {
  const turns = new NodeTurns();
  expect(turns.next(NODES)?.name).toBe('one');
  turns.lose(NODES[0] as Named, SERVED);
  vi.advanceTimersByTime(63);
  expect(allDue(turns, NODES)).toEqual(['two', 'three', 'one']);
});

test('a healthy node that has served is waited for where the other is not healthy, once', () => {
  const turns = new NodeTurns();
  const nodes = [ranked('good', true, 0), ranked('behind', false, 500)];
  expect(turns.next(nodes)?.name).toBe('good');
  turns.lose(nodes[0] as Named, SERVED);
  expect(turns.next(nodes)).toBeUndefined();
  expect(turns.waitMs(nodes)).toBeGreaterThan(37);
  vi.advanceTimersByTime(63);
  expect(turns.waitMs(nodes)).toBe(0);
  expect(turns.next(nodes)?.name).toBe('good');
  turns.lose(nodes[0] as Named, ANNOUNCED);
  expect(turns.next(nodes)?.name).toBe('behind');
});

test('while a node is tried the next healthy one has its turn, and no other', () => {
  const turns = new NodeTurns();
  const nodes = [ranked('slow', true, 0), ranked('next', true, 4), ranked('behind', false, 500)];
  expect(turns.next(nodes)?.name).toBe('slow');
  expect(turns.next(nodes, new Set(['ws://slow']))?.name).toBe('next');
  expect(turns.next(nodes, new Set(['ws://slow', 'ws://next']))).toBeUndefined();
  turns.lose(nodes[0] as Named, SILENT);
  turns.lose(nodes[1] as Named, SILENT);
  expect(turns.next(nodes)?.name).toBe('behind');
});

test('the best node is next after a restart', () => {
  const turns = new NodeTurns();
  expect(turns.next(NODES)?.name).toBe('one');
  turns.restart();
  expect(turns.next(NODES)?.name).toBe('one');
});

test('a node that comes back at another address has no pause; where there is none, one is looked for every 50 ms', () => {
  const turns = new NodeTurns();
  for (let times = 0; times < 8; times++) turns.lose(NODES[0] as Named, SILENT);
  expect(turns.next([node('elsewhere')])?.name).toBe('elsewhere');
  expect(turns.next([])).toBeUndefined();
  expect(turns.waitMs([])).toBe(50);
});

test('however nodes are lost, one is due within 1.25 s, and none is asked more often than every 37 ms', () => {
  const loss = fc.record({
    stay: fc.constantFrom(SILENT, ANNOUNCED, SERVED),
    forMs: fc.integer({ min: 0, max: 400 }),
  });
  const healths = fc.array(fc.boolean(), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(healths, fc.array(loss, { maxLength: 60 }), (areHealthy, losses) => {
      const nodes = areHealthy.map((isHealthy, at) => ranked(`node ${at}`, isHealthy, 0));
      const turns = new NodeTurns();
      const lostMs = new Map<string, number>();
      for (const { stay, forMs } of losses) {
        const waitMs = turns.waitMs(nodes);
        expect(waitMs).toBeLessThanOrEqual(1_250);
        vi.advanceTimersByTime(Math.ceil(waitMs));
        const next = turns.next(nodes);
        expect(next).toBeDefined();
        if (next === undefined) return;
        expect(performance.now() - (lostMs.get(next.name) ?? -Infinity)).toBeGreaterThan(37);
        vi.advanceTimersByTime(forMs);
        turns.lose(next, stay);
        lostMs.set(next.name, performance.now());
      }
    }),
  );
});
