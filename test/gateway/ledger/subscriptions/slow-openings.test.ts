import { expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import type { NodeCall } from '../../../support/scripted-pubsub.ts';
import type { SocketMessage } from '../../../support/socket-client.ts';
import { ADDRESS, CONFIRMED, OTHER, account, gapOf, resultOf, useStage } from './use-stage.ts';

const stage = useStage();

const LIMITS = { silenceMs: 60_000, responseTimeoutMs: 30_000 };

/** Leaves the calls of a method unanswered whose params a test names. */
function holdBack(isHeld: (params: readonly unknown[]) => boolean): readonly NodeCall[] {
  const held: NodeCall[] = [];
  stage.node.refuse = (call) => {
    if (call.method !== 'accountSubscribe' || !isHeld(call.params ?? [])) return undefined;
    held.push(call);
    return 'silence';
  };
  return held;
}

/** The next message of the client, which comes long before the node's time for an answer is over. */
async function soon(): Promise<SocketMessage> {
  let message: SocketMessage | undefined;
  void stage.client.next().then((next) => {
    message = next;
  });
  return await eventually('a message comes', () => message);
}

test('while a node takes long for one subscription after a loss, the others continue', async () => {
  await stage.start(LIMITS);
  await stage.client.call('rootSubscribe');
  await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
  const { result: other } = await stage.client.call('accountSubscribe', [OTHER, CONFIRMED]);
  stage.node.notify('rootSubscribe', 5_050);
  await stage.client.next();
  for (const address of [ADDRESS, OTHER]) {
    stage.node.notify('accountSubscribe', account(150, 1), address);
    await stage.client.next();
  }
  stage.node.answers.getAccountInfo = () => account(stage.node.slot, 1);
  stage.node.slot = 200;
  const held = holdBack(([address]) => address === ADDRESS);
  await stage.lose('rootSubscribe');
  stage.node.notify('rootSubscribe', 5_060);
  const told = [await soon(), await soon(), await soon()];
  const ofOther = told.filter((each) => JSON.stringify(each.params).includes(`[${other}]`));
  expect(ofOther.map(gapOf)).toMatchObject([{ fromSlot: 151 }]);
  expect(told.map(({ method }) => method).sort()).toEqual([
    ...['gapNotification', 'gapNotification', 'rootNotification'],
  ]);
  // The one that was held up is backfilled when the node has it.
  stage.node.answers.getAccountInfo = account(9_000, 8);
  stage.node.sendText(`{"jsonrpc":"2.0","result":777,"id":${held[0]?.id}}`);
  expect(gapOf(await soon())).toMatchObject({ fromSlot: 151, toSlot: 9_000 });
  expect(resultOf(await soon())).toEqual(account(9_000, 8));
});

test('however many subscriptions a node takes long for, it is asked for the others at once', async () => {
  await stage.start(LIMITS);
  const slow = Array.from({ length: 20 }, (_, length) => ({
    ...CONFIRMED,
    dataSlice: { offset: 0, length },
  }));
  for (const config of slow) await stage.client.call('accountSubscribe', [ADDRESS, config]);
  await stage.client.call('rootSubscribe');
  stage.node.notify('rootSubscribe', 5_050);
  await stage.client.next();
  const held = holdBack(() => true);
  await stage.lose('rootSubscribe');
  expect(held).toHaveLength(20);
  stage.node.notify('rootSubscribe', 5_060);
  expect(gapOf(await soon())).toMatchObject({ fromSlot: 5_051, toSlot: 5_059 });
  expect(resultOf(await soon())).toBe(5_060);
});
