import { expect, test } from 'vitest';
import { createLedgerSubscriptions } from '../../../../generated/ledger/subscriptions-client.ts';
import { GAP_VALIDATOR } from '../../../../generated/contract/ledger/notifications.ts';
import { account, ADDRESS, CONFIRMED, gapOf, useStage } from './use-stage.ts';

const stage = useStage();

test('the generated client tells of the gap that a lost node leaves, in its place', async () => {
  await stage.start();
  const order: unknown[] = [];
  const client = createLedgerSubscriptions({
    url: stage.gateway.wsUrl,
    onGap: ({ method, cause, fromSlot, toSlot }) => order.push([method, cause, fromSlot, toSlot]),
  });
  stage.closing.push(async () => client.close());
  const roots = await client.rootSubscribe();
  stage.node.notify('rootSubscribe', 5_050);
  await stage.lose('rootSubscribe');
  stage.node.notify('rootSubscribe', 5_060);
  for await (const root of roots) {
    order.push(root);
    if (root === 5_060n) break;
  }
  expect(order).toEqual([5_050n, ['rootSubscribe', 'server', 5_051n, 5_059n], 5_060n]);
});

test('the gateway tells of a gap as the specification says', async () => {
  await stage.start();
  await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  stage.node.notify('accountSubscribe', account(150, 1));
  await stage.client.next();
  stage.node.answers.getAccountInfo = account(190, 8);
  await stage.lose('accountSubscribe');
  const gap = gapOf(await stage.client.next());
  expect([gap, GAP_VALIDATOR(gap)]).toEqual([expect.any(Object), true]);
});
