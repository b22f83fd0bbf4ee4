import { expect, test } from 'vitest';
import { SharedSubscription } from '../../../src/ledger/subscriptions/shared-subscription.ts';

const ADDRESS = '11111111111111111111111111111111';

const ignore = (): void => undefined;

function newSubscription(): SharedSubscription {
  return new SharedSubscription({
    ...{ id: 1, name: 'accountSubscribe', params: `["${ADDRESS}",{"commitment":"confirmed"}]` },
    frame: (text) => text,
    metrics: {
      countNotification: () => undefined,
      countGap: () => undefined,
      countDrop: () => undefined,
    } as never,
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

const notified = (slot: number): Buffer => Buffer.from(`{"context":{"slot":${slot}},"value":{"lamports":1}}`);
const tell = (shared: SharedSubscription, slot: number): void => shared.notify(notified(slot));

test('nothing of before a subscription is missing from it', () => {
  const shared = openAt(28);
  shared.lose(undefined);
  expect(shared.missingFrom).toBe(29);
});

test('what follows a slot that a node behind the first one told of is missing when that node is lost', () => {
  const shared = openAt(28);
  tell(shared, 27);
  shared.lose(undefined);
  expect(shared.missingFrom).toBe(28);
});

test('what comes with the answer to a subscription that was lost before one is held until there is a subscriber', () => {
  const shared = newSubscription();
  shared.lose(undefined);
  shared.take(notified(5));
  const told: string[] = [];
  shared.subscribers.add({
    ...{ reserve: ignore, release: ignore, forget: ignore },
    deliver: ({ frame }) => void told.push(String(frame)),
  });
  shared.resume();
  expect(told).toHaveLength(1);
});

test('what was covered when it was read anew is not missing from a quiet subscription', () => {
  const shared = openAt(28);
  shared.lose(undefined);
  shared.hold();
  shared.resume(90);
  shared.lose(undefined);
  expect(shared.missingFrom).toBe(91);
});
