import { expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { startScriptedPubsub } from '../../../support/scripted-pubsub.ts';
import { ADDRESS, CONFIRMED, account, gapOf, useStage } from './use-stage.ts';

const stage = useStage();

const ANOTHER = 'AnotherLedger1111111111111111111111111111111';

test('subscriptions continue where all nodes have begun another ledger', async () => {
  const second = await startScriptedPubsub();
  stage.closing.push(second.close);
  const nodeUrls = [stage.node.url, second.url];
  await stage.start({ nodeUrls, asksVersions: true });
  expect(await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED])).toHaveProperty('result');
  for (const node of [stage.node, second]) node.notify('accountSubscribe', account(150, 1));
  await stage.client.next();
  const gap = stage.client.next();
  await Promise.all([stage.node.close(), second.close()]);
  for (const { port } of [stage.node, second]) {
    const again = await startScriptedPubsub({ port, genesisHash: ANOTHER });
    again.answers.getAccountInfo = account(160, 2);
    stage.closing.push(again.close);
  }
  let told: Awaited<typeof gap> | undefined;
  void gap.then((message) => {
    told = message;
  });
  const message = await eventually('the new ledger is told', () => told);
  expect(gapOf(message)).toMatchObject({ fromSlot: 0, genesisHash: ANOTHER });
});

test('a node of another ledger that was connected to before the others had said theirs is left', async () => {
  const others = [await startScriptedPubsub(), await startScriptedPubsub()];
  stage.closing.push(...others.map(({ close }) => close));
  stage.node.answers.getGenesisHash = ANOTHER;
  const late = Promise.withResolvers<unknown>();
  for (const { answers } of others) {
    const { getGenesisHash } = answers;
    answers.getGenesisHash = () => late.promise.then(() => getGenesisHash);
  }
  await stage.start({ nodeUrls: [stage.node, ...others].map(({ url }) => url), asksVersions: true });
  expect(await stage.client.call('rootSubscribe')).toHaveProperty('result');
  expect(stage.node.subscriptions('rootSubscribe')).toHaveLength(1);
  late.resolve(undefined);
  const [first] = await eventually('another node has the subscription', () =>
    others.map((each) => each.subscriptions('rootSubscribe')).find((found) => found.length > 0),
  );
  expect(first).toEqual(expect.any(Number));
  expect(stage.node.sockets.size).toBe(0);
});
