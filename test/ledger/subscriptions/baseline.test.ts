import { expect, test } from 'vitest';
import { SharedSubscription } from '../../../src/ledger/subscriptions/shared-subscription.ts';

const ADDRESS = '11111111111111111111111111111111';

function openAt(baseline: number): SharedSubscription {
  const shared = new SharedSubscription({
    ...{ id: 1, name: 'accountSubscribe', params: `["${ADDRESS}",{"commitment":"confirmed"}]` },
    frame: (text) => text,
    metrics: {
      countNotification: () => undefined,
      countGap: () => undefined,
      countDrop: () => undefined,
    } as never,
    onEnd: () => undefined,
  });
  shared.isOpened = true;
  shared.baseline = baseline;
  shared.resume();
  return shared;
}

const tell = (shared: SharedSubscription, slot: number): void =>
  shared.notify(Buffer.from(`{"context":{"slot":${slot}},"value":{"lamports":1}}`));

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
