import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { NodeRefusal } from '../../../support/scripted-pubsub.ts';
import { ADDRESS, CONFIRMED, SIGNATURE, account, gapOf, resultOf, useStage } from './use-stage.ts';

const stage = useStage();

type Shown = { readonly value: object };

/** As nodes answer over HTTP. */
function inAlphabet({ context, value }: ReturnType<typeof account>) {
  return { context, value: Object.fromEntries(Object.entries(value).sort()) };
}

describe('slots', () => {
  test('those that were missed are a gap, told exactly and before the next one', async () => {
    await stage.start();
    stage.node.isAnnouncing = false;
    const { result: id } = await stage.client.call('slotSubscribe');
    const tell = (slot: number) => stage.node.notify('slotSubscribe', { slot, parent: slot - 1, root: 1 });
    tell(200);
    expect(resultOf(await stage.client.next())).toMatchObject({ slot: 200 });
    await stage.lose('slotSubscribe');
    tell(205);
    expect(gapOf(await stage.client.next())).toEqual({ subscriptions: [id], fromSlot: 201, toSlot: 204 });
    expect(resultOf(await stage.client.next())).toMatchObject({ slot: 205 });
    expect(await stage.gateway.metrics.registry.metrics()).toContain(
      'keyslot_ws_gaps_total{network="solana-localnet",subscription="slotSubscribe"} 1',
    );
  });

  test('where none was missed there is no gap, and none is told twice or late', async () => {
    await stage.start();
    stage.node.isAnnouncing = false;
    await stage.client.call('slotSubscribe');
    const tell = (slot: number) => stage.node.notify('slotSubscribe', { slot, parent: slot - 1, root: 1 });
    tell(200);
    await stage.client.next();
    await stage.lose('slotSubscribe');
    for (const slot of [198, 200, 201, 201, 200, 202]) tell(slot);
    expect(resultOf(await stage.client.next())).toMatchObject({ slot: 201 });
    expect(resultOf(await stage.client.next())).toMatchObject({ slot: 202 });
    expect(stage.client.texts.filter((line) => line.includes('gapNotification'))).toEqual([]);
  });
});

describe('votes', () => {
  test('those that were missed are a gap, though a vote is of no slot', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('voteSubscribe');
    const vote = (slot: number) => ({ votePubkey: ADDRESS, slots: [slot], hash: ADDRESS, timestamp: null });
    const lastSlot = stage.node.slot;
    stage.node.notify('voteSubscribe', vote(lastSlot));
    expect(resultOf(await stage.client.next())).toEqual(vote(lastSlot));
    await stage.lose('voteSubscribe');
    stage.node.notify('voteSubscribe', vote(lastSlot + 5));
    const gap = gapOf(await stage.client.next());
    expect(gap.subscriptions).toEqual([id]);
    expect(gap.fromSlot).toBeLessThan(lastSlot);
    expect(gap.toSlot).toBeGreaterThanOrEqual(lastSlot);
    expect(resultOf(await stage.client.next())).toEqual(vote(lastSlot + 5));
  });
});

describe('what happens to slots', () => {
  test('is a gap from the last root on where it was missed, whatever slot is notified next', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('slotsUpdatesSubscribe');
    const tell = (type: string, slot: number) =>
      stage.node.notify('slotsUpdatesSubscribe', { type, slot, timestamp: 0 });
    const createdSlot = stage.node.slot;
    tell('createdBank', createdSlot);
    expect(resultOf(await stage.client.next())).toMatchObject({ slot: createdSlot });
    await stage.lose('slotsUpdatesSubscribe');
    tell('root', createdSlot - 10);
    const gap = gapOf(await stage.client.next());
    expect(gap.subscriptions).toEqual([id]);
    expect(gap.fromSlot).toBeLessThanOrEqual(createdSlot - 31);
    expect(gap.toSlot).toBeGreaterThanOrEqual(createdSlot);
    expect(resultOf(await stage.client.next())).toMatchObject({ type: 'root' });
  });
});

describe('an account', () => {
  test('is sent as it is now, after the gap; repeated notifications of the node are not', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.notify('accountSubscribe', account(150, 1));
    await stage.client.next();
    stage.node.answers.getAccountInfo = account(180, 5);
    await stage.lose('accountSubscribe');
    const gap = gapOf(await stage.client.next());
    expect(gap).toMatchObject({ subscriptions: [id], toSlot: 180 });
    expect(gap.fromSlot).toBe(151);
    expect(resultOf(await stage.client.next())).toEqual(account(180, 5));
    stage.node.notify('accountSubscribe', account(180, 5));
    stage.node.notify('accountSubscribe', account(181, 6));
    expect(resultOf(await stage.client.next())).toEqual(account(181, 6));
  });

  test('that is as it was is not told again', async () => {
    await stage.start();
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.notify('accountSubscribe', account(150, 1));
    await stage.client.next();
    stage.node.answers.getAccountInfo = account(180, 1);
    await stage.lose('accountSubscribe');
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 151, toSlot: 180 });
    stage.node.notify('accountSubscribe', account(190, 2));
    expect(resultOf(await stage.client.next())).toEqual(account(190, 2));
  });

  test('is sent with members in the order of notifications, whatever order the node answers in', async () => {
    await stage.start();
    const slice = { dataSlice: { offset: 0, length: 2 } };
    await stage.client.call('accountSubscribe', [ADDRESS, { ...CONFIRMED, ...slice }]);
    stage.node.notify('accountSubscribe', account(150, 1));
    const members = Object.keys((resultOf(await stage.client.next()) as Shown).value);
    stage.node.answers.getAccountInfo = inAlphabet(account(180, 1));
    await stage.lose('accountSubscribe');
    expect(gapOf(await stage.client.next())).toMatchObject({ toSlot: 180 });
    stage.node.answers.getAccountInfo = inAlphabet(account(185, 2));
    await stage.lose('accountSubscribe');
    expect(gapOf(await stage.client.next())).toMatchObject({ toSlot: 185 });
    const told = resultOf(await stage.client.next()) as Shown;
    expect([told, Object.keys(told.value)]).toEqual([account(185, 2), members]);
    const asked = stage.node.asked.filter(({ method }) => method === 'getAccountInfo');
    expect(asked[0]?.params?.[1]).toMatchObject(slice);
  });

  test('that is no more is told as nodes tell it', async () => {
    await stage.start();
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.notify('accountSubscribe', account(150, 1));
    await stage.client.next();
    stage.node.answers.getAccountInfo = { context: { slot: 180 }, value: null };
    await stage.lose('accountSubscribe');
    await stage.client.next();
    expect(resultOf(await stage.client.next())).toMatchObject({
      context: { slot: 180 },
      value: { lamports: 0, data: ['', 'base64'], owner: '1'.repeat(32) },
    });
  });

  test('is told from its newest slot on, also where the node’s answer is slow and it changes meanwhile', async () => {
    await stage.start();
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.notify('accountSubscribe', account(150, 1));
    await stage.client.next();
    const slow = Promise.withResolvers<unknown>();
    stage.node.answers.getAccountInfo = () => slow.promise;
    await stage.lose('accountSubscribe');
    await eventually(
      'it is asked for',
      () => stage.node.asked.some(({ method }) => method === 'getAccountInfo') || undefined,
    );
    stage.node.notify('accountSubscribe', account(170, 2));
    stage.node.notify('accountSubscribe', account(185, 7));
    slow.resolve(account(180, 5));
    const gap = gapOf(await stage.client.next());
    const told = [resultOf(await stage.client.next()), resultOf(await stage.client.next())];
    expect([gap.toSlot, ...told]).toEqual([180, account(180, 5), account(185, 7)]);
  });

  test('whose state cannot be read leaves a gap, and is notified again', async () => {
    await stage.start();
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.notify('accountSubscribe', account(150, 1));
    await stage.client.next();
    stage.node.answers.getAccountInfo = new NodeRefusal(-32600, 'no');
    stage.node.slot = 200;
    await stage.lose('accountSubscribe');
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 151 });
    stage.node.notify('accountSubscribe', account(9_000, 2));
    expect(resultOf(await stage.client.next())).toEqual(account(9_000, 2));
  });

  test('is never told older after newer: what comes late is left out, and said to be', async () => {
    await stage.start();
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    for (const [slot, lamports] of [
      [150, 1],
      [152, 2],
      [151, 3],
      [152, 2],
      [150, 1],
      [153, 4],
    ] as const)
      stage.node.notify('accountSubscribe', account(slot, lamports));
    expect(resultOf(await stage.client.next())).toEqual(account(150, 1));
    expect(resultOf(await stage.client.next())).toEqual(account(152, 2));
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 151, toSlot: 151 });
    expect(resultOf(await stage.client.next())).toEqual(account(153, 4));
  });
});

describe('a signature', () => {
  test('that was decided meanwhile is told by its status', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('signatureSubscribe', [
      SIGNATURE,
      { commitment: 'confirmed' },
    ]);
    await eventually(
      'its status was read',
      () => stage.node.asked.some(({ method }) => method === 'getSignatureStatuses') || undefined,
    );
    stage.node.answers.getSignatureStatuses = {
      context: { slot: 190 },
      value: [{ slot: 185, confirmations: null, err: null, confirmationStatus: 'finalized' }],
    };
    stage.node.cut();
    expect(await stage.client.next()).toMatchObject({
      method: 'signatureNotification',
      params: { result: { context: { slot: 185 }, value: { err: null } }, subscription: id },
    });
    expect((await stage.client.call('signatureUnsubscribe', [id])).error).toMatchObject({ code: -32602 });
  });
});

test('a signature is told by its status, however often the node refuses to say it', async () => {
  await stage.start();
  let calls = 0;
  stage.node.answers.getSignatureStatuses = () => {
    calls += 1;
    if (calls < 11) return new NodeRefusal(-32603, 'Internal error');
    return { context: { slot: 90 }, value: [{ slot: 80, err: null, confirmationStatus: 'finalized' }] };
  };
  await stage.client.call('signatureSubscribe', [SIGNATURE]);
  expect(await stage.client.next()).toMatchObject({
    method: 'signatureNotification',
    params: { result: { context: { slot: 80 } } },
  });
});

describe('what cannot be made up for', () => {
  test.each([
    ['rootSubscribe', (slot: number) => slot, 5_099],
    ['slotsUpdatesSubscribe', (slot: number) => ({ type: 'frozen', slot, timestamp: 1 }), 5_100],
  ])('%s: is a gap before the next notification', async (method, result, toSlot) => {
    await stage.start();
    await stage.client.call(method);
    stage.node.notify(method, result(5_090));
    await stage.client.next();
    await stage.lose(method);
    stage.node.notify(method, result(5_100));
    expect(gapOf(await stage.client.next())).toMatchObject({ toSlot });
    expect(resultOf(await stage.client.next())).toEqual(result(5_100));
  });
});
