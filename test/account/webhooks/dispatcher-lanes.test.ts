import { expect, test } from 'vitest';
import { DeliveryLanes, type Place } from '../../../src/account/webhooks/dispatcher.ts';
import { NOW_MS } from '../new-customer.ts';

const [QUICK, QUICK_OF_ACCOUNT] = [50, 3];
const [SLOW, SLOW_OF_ACCOUNT] = [100, 20];
const MINUTE_MS = 60_000;

type Webhook = { readonly id: string; readonly accountId: string };

function createLanes() {
  let nowMs = NOW_MS;
  const lanes = new DeliveryLanes({ nowMs: () => nowMs });
  const later = (ms: number): void => {
    nowMs += ms;
  };
  return { lanes, later };
}

/** Webhooks of one account. */
const webhooksOf = (accountId: string, count: number): readonly Webhook[] =>
  Array.from({ length: count }, (_, n) => ({ id: `${accountId}${n}`, accountId }));

const enterAll = (lanes: DeliveryLanes, webhooks: readonly Webhook[]): readonly Place[] =>
  webhooks.flatMap((webhook) => lanes.enter(webhook) ?? []);

/** Begins rounds that are slow at once. */
const enterSlow = (lanes: DeliveryLanes, webhooks: readonly Webhook[]): readonly Place[] =>
  webhooks.flatMap((webhook) => {
    const place = lanes.enter(webhook);
    if (place !== undefined) lanes.becomeSlow(place);
    return place ?? [];
  });

const kept = (places: readonly Place[]): number => places.filter(({ cut }) => !cut.signal.aborted).length;
const idsOf = (webhooks: readonly Webhook[]) => webhooks.map(({ id }) => id);

test('an account has three quick places at most, and as many accounts as fill them leave some for others', () => {
  const { lanes } = createLanes();
  const accounts = Array.from({ length: Math.ceil(QUICK / QUICK_OF_ACCOUNT) }, (_, n) => `account ${n} `);
  const held = accounts.map((account) => enterAll(lanes, webhooksOf(account, 20)).length);
  expect(new Set(held.slice(0, -1))).toEqual(new Set([QUICK_OF_ACCOUNT]));
  expect(enterAll(lanes, webhooksOf('victim', 1))).toHaveLength(1);
});

test('a round that becomes slow leaves its quick place', () => {
  const { lanes } = createLanes();
  expect(enterSlow(lanes, webhooksOf('a', QUICK_OF_ACCOUNT))).toHaveLength(QUICK_OF_ACCOUNT);
  expect(enterAll(lanes, webhooksOf('a', 2 * QUICK_OF_ACCOUNT).slice(QUICK_OF_ACCOUNT))).toHaveLength(
    QUICK_OF_ACCOUNT,
  );
});

test('a webhook that was slow has quick places again a minute after its last slow round, however quick it is meanwhile', () => {
  const { lanes, later } = createLanes();
  const [webhook] = webhooksOf('a', 1) as [Webhook];
  const roundIn = (ms: number) => {
    later(ms);
    const place = lanes.enter(webhook);
    if (place === undefined) throw new Error('there is no place');
    const { lane } = place;
    return { place, lane };
  };
  const first = roundIn(0);
  lanes.becomeSlow(first.place);
  later(14_000);
  lanes.leave(first.place);
  for (let times = 0; times < 3; times++) {
    const { place, lane } = roundIn(0);
    expect(lane).toBe('slow');
    lanes.leave(place);
  }
  const last = roundIn(MINUTE_MS - 1);
  expect(last.lane).toBe('slow');
  lanes.leave(last.place);
  expect(roundIn(1).lane).toBe('quick');
});

test('all webhooks of an account may be slow at once', () => {
  const { lanes } = createLanes();
  expect(kept(enterSlow(lanes, webhooksOf('a', SLOW_OF_ACCOUNT)))).toBe(SLOW_OF_ACCOUNT);
});

test('a round that becomes slow while others of its account fill the slow lane is cut off, and waits for a place', () => {
  const { lanes } = createLanes();
  const accounts = Array.from({ length: SLOW / 10 }, (_, n) => webhooksOf(`account ${n} `, 10));
  const places = accounts.flatMap((webhooks) => enterSlow(lanes, webhooks));
  expect(kept(places)).toBe(SLOW);
  const [more] = webhooksOf('account 0 ', 11).slice(10) as [Webhook];
  const [place] = enterSlow(lanes, [more]);
  expect(place).toMatchObject({ lane: undefined, cut: { signal: { aborted: true } } });
  if (place !== undefined) lanes.leave(place);
  expect(kept(places)).toBe(SLOW);
  expect(lanes.enter(more)).toBeUndefined();
  if (places[0] !== undefined) lanes.leave(places[0]);
  expect(lanes.enter(more)).toMatchObject({ lane: 'slow' });
});

test('of a full slow lane the account with the most gives up its oldest round, until all have the same', () => {
  const { lanes } = createLanes();
  const accounts = Array.from({ length: SLOW / SLOW_OF_ACCOUNT }, (_, n) =>
    enterSlow(lanes, webhooksOf(`account ${n} `, SLOW_OF_ACCOUNT)),
  );
  expect(kept(accounts.flat())).toBe(SLOW);
  const victims = enterSlow(lanes, webhooksOf('victim ', QUICK_OF_ACCOUNT));
  enterSlow(lanes, webhooksOf('victim ', SLOW_OF_ACCOUNT).slice(QUICK_OF_ACCOUNT));
  expect(kept(victims)).toBe(QUICK_OF_ACCOUNT);
  for (const places of accounts) {
    expect(kept(places)).toBeGreaterThanOrEqual(16);
    expect(kept(places.slice(-16))).toBe(16);
  }
});

test('accounts with the fewest places come first, and of one account webhooks that were served longest ago', () => {
  const { lanes } = createLanes();
  const [busy, other] = [webhooksOf('a', 4), webhooksOf('b', 2)];
  expect(idsOf(lanes.inOrder([...busy, ...other]))).toEqual(['a0', 'b0', 'a1', 'b1', 'a2', 'a3']);
  const [place] = enterAll(lanes, busy.slice(0, 2));
  expect(idsOf(lanes.inOrder([...busy.slice(2), ...other]))).toEqual(['b0', 'b1', 'a2', 'a3']);
  if (place !== undefined) lanes.leave(place);
  expect(idsOf(lanes.inOrder([...busy, ...other].filter(({ id }) => id !== 'a1')))).toEqual([
    'b0',
    'a2',
    'b1',
    'a3',
    'a0',
  ]);
});
