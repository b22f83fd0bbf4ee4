import { expect, test } from 'vitest';
import { SharedSubscription } from '../../../../src/gateway/ledger/subscriptions/shared-subscription.ts';

const ADDRESS = '11111111111111111111111111111111';

const ignore = (): void => undefined;

function newSubscription(): SharedSubscription {
  return new SharedSubscription({
    id: 1,
    name: 'accountSubscribe',
    params: `["${ADDRESS}",{"commitment":"confirmed"}]`,
    frame: (text) => text,
    metrics: {
      countNotification: () => undefined,
      countGap: () => undefined,
      countDrop: () => undefined,
    } as never,
    onResult: ignore,
    onEnd: ignore,
  });
}

function openAt(baseline: number): SharedSubscription {
  const shared = newSubscription();
  shared.isOpened = true;
  shared.baseline = baseline;
  shared.resume();
  return shared;
}

/** The gaps that a subscriber receives from now on. */
function gapsOf(shared: SharedSubscription): readonly (readonly number[])[] {
  const gaps: number[][] = [];
  shared.subscribers.add({
    accountId: 'a',
    reserve: ignore,
    release: ignore,
    forget: ignore,
    deliver: ({ frame }) => {
      const gap = /"fromSlot":(\d+),"toSlot":(\d+)/.exec(String(frame));
      if (gap !== null) gaps.push(gap.slice(1).map(Number));
    },
  });
  return gaps;
}

const notified = (slot: number): Buffer => Buffer.from(`{"context":{"slot":${slot}},"value":{"lamports":1}}`);
const tell = (shared: SharedSubscription, slot: number): void => shared.notify(notified(slot));

test('nothing of before a subscription is missing from it', () => {
  const shared = openAt(28);
  shared.lose(undefined);
  expect(shared.missingFrom).toBe(29);
});

test('what follows a slot of a node behind the first one is missing when that node is lost', () => {
  const shared = openAt(28);
  tell(shared, 27);
  shared.lose(undefined);
  expect(shared.missingFrom).toBe(28);
});

test.each([
  [28, 29],
  [29, 30],
  [30, 31],
])(
  'where a node behind the lost one tells of %i while a gap is due, the gap begins at %i',
  (older, fromSlot) => {
    const shared = openAt(30);
    const gaps = gapsOf(shared);
    shared.lose(undefined);
    shared.resumeAfterGap();
    tell(shared, older);
    shared.lose(undefined);
    shared.resumeAfterGap();
    tell(shared, 40);
    expect(gaps).toEqual([[fromSlot, 39]]);
  },
);

test('what comes with the answer to a subscription that was lost before one is held until there is a subscriber', () => {
  const shared = newSubscription();
  shared.lose(undefined);
  shared.take(notified(5));
  const told: string[] = [];
  shared.subscribers.add({
    accountId: 'a',
    reserve: ignore,
    release: ignore,
    forget: ignore,
    deliver: ({ frame }) => void told.push(String(frame)),
  });
  shared.resume();
  expect(told).toHaveLength(1);
});

test('what a new read covered is not missing from a quiet subscription', () => {
  const shared = openAt(28);
  shared.lose(undefined);
  shared.hold();
  shared.resume(90);
  shared.lose(undefined);
  expect(shared.missingFrom).toBe(91);
});
