import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { ADDRESS, CONFIRMED, SIGNATURE, account, gapOf, resultOf, useStage } from './use-stage.ts';

const stage = useStage();

/** The node's answers over HTTP are older than its announcements by this number of slots. */
const AGE = 60;

function answerOlder(): void {
  const { node } = stage;
  node.answers.getSlot = () => node.slot - AGE;
}

describe('where a node notifies of more than it answers', () => {
  test('what it did not notify of any more is a gap, though its answer is older than what was told', async () => {
    await stage.start();
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    const told = stage.node.slot + 5;
    stage.node.slot = told;
    stage.node.notify('accountSubscribe', account(told, 1));
    await stage.client.next();
    stage.node.slot = told + 100;
    stage.node.answers.getAccountInfo = account(told - 3, 7);
    await stage.lose('accountSubscribe');
    const gap = gapOf(await stage.client.next());
    expect(gap.fromSlot).toBe(told + 1);
    expect(gap.toSlot).toBeGreaterThanOrEqual(told + 99);
    stage.node.notify('accountSubscribe', account(9_000, 2));
    expect(resultOf(await stage.client.next())).toEqual(account(9_000, 2));
  });

  test.each([
    ['logsSubscribe', [{ mentions: [ADDRESS] }, { commitment: 'confirmed' }]],
    ['blockSubscribe', ['all', { commitment: 'confirmed' }]],
    ['accountSubscribe', [ADDRESS, CONFIRMED]],
  ])('%s reports a gap to the slot that was announced', async (method, params) => {
    await stage.start();
    await stage.client.call(method, params);
    answerOlder();
    stage.node.answers.getAccountInfo = () => account(stage.node.slot - AGE, 1);
    stage.node.slot += 500;
    const announced = stage.node.slot;
    await stage.lose(method);
    let toSlot = 0;
    while (toSlot < announced) toSlot = Math.max(toSlot, gapOrNone(await stage.client.next()));
    expect(toSlot).toBeLessThan(announced + AGE + 200);
  });

  test('a signature that had its level before is looked for until the answer is new enough', async () => {
    await stage.start();
    let asked = 0;
    stage.node.answers.getSignatureStatuses = () => {
      const isOld = ++asked === 1;
      const status = { slot: 90, err: null, confirmationStatus: 'finalized' };
      return { context: { slot: isOld ? 1 : 9_999 }, value: [isOld ? null : status] };
    };
    await stage.client.call('rootSubscribe');
    await eventually('slots are announced', () => stage.node.slot > 103 || undefined);
    await stage.client.call('signatureSubscribe', [SIGNATURE]);
    expect(await stage.client.next()).toMatchObject({ method: 'signatureNotification' });
    expect(asked).toBe(2);
  });

  test('a signature subscribed to before the node announces a slot is looked for again once it does', async () => {
    stage.node.isAnnouncing = false;
    await stage.start();
    let asked = 0;
    stage.node.answers.getSignatureStatuses = () => {
      asked += 1;
      const status = { slot: 90, err: null, confirmationStatus: 'finalized' };
      return { context: { slot: stage.node.slot }, value: [stage.node.isAnnouncing ? status : null] };
    };
    await stage.client.call('rootSubscribe');
    await stage.client.call('signatureSubscribe', [SIGNATURE]);
    await eventually('its status was asked for', () => asked > 0 || undefined);
    stage.node.isAnnouncing = true;
    expect(await stage.client.next()).toMatchObject({ method: 'signatureNotification' });
  });
});

function gapOrNone({ method, params }: Awaited<ReturnType<typeof stage.client.next>>): number {
  return method === 'gapNotification' ? (params as { readonly toSlot: number }).toSlot : 0;
}
