import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { NodeRefusal, type ScriptedPubsub, startScriptedPubsub } from '../../../support/scripted-pubsub.ts';
import { ADDRESS, CONFIRMED, SIGNATURE, account, gapOf, resultOf, useStage } from './use-stage.ts';

const stage = useStage();

describe('a node', () => {
  test('that is silent is given up', async () => {
    await stage.start({ silenceMs: 300 });
    await stage.client.call('rootSubscribe');
    stage.node.isAnnouncing = false;
    const [first] = stage.node.sockets;
    const counted = 'keyslot_upstream_ws_losses_total{network="solana-localnet",reason="silent"}';
    await eventually('it is noted', async () =>
      (await stage.gateway.metrics.registry.metrics()).includes(counted) ? true : undefined,
    );
    await eventually('another connection is there', () => {
      const [socket] = stage.node.sockets;
      return socket !== undefined && socket !== first ? true : undefined;
    });
  });

  test.each(['no json', '{"jsonrpc":"2.0"}', '[1]', '{"method":"x","params":{}}'])(
    'that talks nonsense is given up: %s',
    async (line) => {
      await stage.start();
      await stage.client.call('rootSubscribe');
      const [first] = stage.node.sockets;
      stage.node.sendText(line);
      await eventually('it is noted', async () =>
        (await stage.gateway.metrics.registry.metrics()).includes('reason="garbage"} 1') ? true : undefined,
      );
      await eventually(
        'it is subscribed to again',
        () =>
          (first !== undefined &&
            !stage.node.sockets.has(first) &&
            stage.node.subscriptions('rootSubscribe').length === 1) ||
          undefined,
      );
      stage.node.notify('rootSubscribe', 5);
      expect(resultOf(await stage.client.next())).toBe(5);
    },
  );

  test('that sends a result of another shape is not believed, and continues', async () => {
    await stage.start();
    await stage.client.call('rootSubscribe');
    stage.node.notify('slotSubscribe', null);
    stage.node.notify('rootSubscribe', { slot: 'x' });
    stage.node.notify('rootSubscribe', 6);
    expect(resultOf(await stage.client.next())).toBe(6);
  });

  test('that refuses a subscription it had is asked again, and the gap is told then', async () => {
    await stage.start();
    await stage.client.call('rootSubscribe');
    stage.node.notify('rootSubscribe', 5_050);
    await stage.client.next();
    let refusals = 0;
    stage.node.refuse = ({ method }) => {
      if (method !== 'rootSubscribe' || ++refusals > 1) return undefined;
      return new NodeRefusal(-32603, 'Internal Error: Subscription refused. Node subscription limit reached');
    };
    await stage.lose('rootSubscribe');
    expect(refusals).toBe(2);
    stage.node.notify('rootSubscribe', 5_060);
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 5_051, toSlot: 5_059 });
  });

  test('that is lost while it is asked for what was missed leaves nothing out', async () => {
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
    stage.node.answers.getAccountInfo = account(190, 8);
    stage.node.cut();
    await eventually(
      'it is asked for again',
      () => stage.node.asked.filter(({ method }) => method === 'getAccountInfo').length === 2 || undefined,
    );
    slow.resolve(account(180, 5));
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 151, toSlot: 190 });
    expect(resultOf(await stage.client.next())).toEqual(account(190, 8));
  });

  test('that is behind tells nothing that is older, and continues where the one before was', async () => {
    const behind = await startScriptedPubsub({ firstSlot: 60 });
    stage.closing.push(behind.close);
    await stage.start({ nodeUrls: [stage.node.url, behind.url] });
    const { result: id } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.notify('accountSubscribe', account(150, 9));
    await stage.client.next();
    behind.answers.getAccountInfo = account(140, 3);
    await stage.lose('accountSubscribe', behind);
    await eventually('its state was read', () =>
      behind.asked.some(({ method }) => method === 'getAccountInfo') ? true : undefined,
    );
    behind.notify('accountSubscribe', account(150, 9));
    behind.notify('accountSubscribe', account(151, 10));
    expect(await stage.client.next()).toMatchObject({
      method: 'accountNotification',
      params: { result: account(151, 10), subscription: id },
    });
  });

  test('that is another ledger is said to be, and subscriptions continue from its beginning', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    const { result: roots } = await stage.client.call('rootSubscribe');
    stage.node.notify('accountSubscribe', account(150, 1));
    stage.node.notify('rootSubscribe', 120);
    await stage.client.next();
    await stage.client.next();
    stage.node.answers.getGenesisHash = 'AnotherLedger1111111111111111111111111111111';
    stage.node.answers.getAccountInfo = account(3, 2);
    stage.node.slot = 1;
    await stage.lose('accountSubscribe');
    expect(gapOf(await stage.client.next())).toEqual({
      subscriptions: [id],
      fromSlot: 0,
      toSlot: 3,
      genesisHash: 'AnotherLedger1111111111111111111111111111111',
    });
    expect(resultOf(await stage.client.next())).toEqual(account(3, 2));
    stage.node.notify('rootSubscribe', 2);
    expect(gapOf(await stage.client.next())).toMatchObject({
      subscriptions: [roots],
      fromSlot: 0,
      genesisHash: expect.any(String),
    });
    expect(resultOf(await stage.client.next())).toBe(2);
  });

  test('that is another ledger, and is lost again after it, leaves out nothing of that ledger', async () => {
    await stage.start();
    stage.node.slot = 9_000;
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.answers.getGenesisHash = 'AnotherLedger1111111111111111111111111111111';
    stage.node.answers.getAccountInfo = account(3, 2);
    stage.node.slot = 1;
    await stage.lose('accountSubscribe');
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 0, toSlot: 3 });
    expect(resultOf(await stage.client.next())).toEqual(account(3, 2));
    stage.node.answers.getAccountInfo = account(60, 4);
    await stage.lose('accountSubscribe');
    const gap = gapOf(await stage.client.next());
    expect(gap).toMatchObject({ toSlot: 60 });
    expect(gap.fromSlot).toBeLessThan(60);
    expect(resultOf(await stage.client.next())).toEqual(account(60, 4));
  });

  test('that is another ledger is reported to subscribers of a signature, which it may never have', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('signatureSubscribe', [SIGNATURE]);
    await stage.lose('signatureSubscribe');
    stage.node.answers.getGenesisHash = 'AnotherLedger1111111111111111111111111111111';
    await stage.lose('signatureSubscribe');
    expect(gapOf(await stage.client.next())).toEqual({
      subscriptions: [id],
      fromSlot: 0,
      toSlot: 0,
      genesisHash: 'AnotherLedger1111111111111111111111111111111',
    });
    stage.node.notify('signatureSubscribe', { context: { slot: 4 }, value: { err: null } });
    expect(await stage.client.next()).toMatchObject({ method: 'signatureNotification' });
  });

  test.each([
    ...['getGenesisHash', 'getSlot'].map((method) => ({
      named: `${method} over HTTP`,
      silence: (node: ScriptedPubsub) => {
        node.answers[method] = () => new Promise(() => undefined);
      },
    })),
    {
      named: 'a call over its WebSocket',
      silence: (node: ScriptedPubsub) => {
        node.refuse = ({ method }) => (method === 'slotSubscribe' ? undefined : 'silence');
      },
    },
  ])('that announces slots and never answers $named is left for the next one', async ({ silence }) => {
    const hanging = await startScriptedPubsub();
    const third = await startScriptedPubsub({ firstSlot: 300 });
    stage.closing.push(hanging.close, third.close);
    silence(hanging);
    await stage.start({
      nodeUrls: [stage.node.url, hanging.url, third.url],
      silenceMs: 300,
      responseTimeoutMs: 50_000,
    });
    await stage.client.call('rootSubscribe');
    stage.node.notify('rootSubscribe', 5_050);
    await stage.client.next();
    stage.node.isAnnouncing = false;
    await stage.lose('rootSubscribe', third);
    expect(hanging.calls.map(({ method }) => method)).toContain('slotSubscribe');
    third.notify('rootSubscribe', 5_060);
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 5_051, toSlot: 5_059 });
  });

  test('that leaves one subscription unanswered keeps the others', async () => {
    await stage.start({ silenceMs: 2_000, responseTimeoutMs: 20_000 });
    await stage.client.call('rootSubscribe');
    const [socket] = stage.node.sockets;
    stage.node.refuse = ({ method }) => (method === 'accountSubscribe' ? 'silence' : undefined);
    const { error } = await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    expect(error).toMatchObject({ message: expect.stringMatching(/2000 ms|did not answer/) });
    expect([...stage.node.sockets]).toEqual([socket]);
    stage.node.notify('rootSubscribe', 7);
    expect(resultOf(await stage.client.next())).toBe(7);
  });

  test('that never answers for the state of an account leaves a gap, and continues', async () => {
    await stage.start({ silenceMs: 2_000, responseTimeoutMs: 50_000 });
    await stage.client.call('accountSubscribe', [ADDRESS, CONFIRMED]);
    stage.node.notify('accountSubscribe', account(150, 1));
    await stage.client.next();
    stage.node.answers.getAccountInfo = () => new Promise(() => undefined);
    stage.node.slot = 200;
    await stage.lose('accountSubscribe');
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 151 });
    stage.node.notify('accountSubscribe', account(9_000, 2));
    expect(resultOf(await stage.client.next())).toEqual(account(9_000, 2));
  });

  test('of several takes the place of the one that is lost, unless its ledger is another', async () => {
    const stranger = await startScriptedPubsub({
      genesisHash: 'AnotherLedger1111111111111111111111111111111',
    });
    const second = await startScriptedPubsub({ firstSlot: 300 });
    stage.closing.push(stranger.close, second.close);
    await stage.start({ nodeUrls: [stage.node.url, stranger.url, second.url] });
    await stage.client.call('rootSubscribe');
    stage.node.notify('rootSubscribe', 5_050);
    await stage.client.next();
    await stage.lose('rootSubscribe', second);
    second.notify('rootSubscribe', 5_060);
    expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 5_051, toSlot: 5_059 });
    expect(stranger.subscriptions('rootSubscribe')).toEqual([]);
  });
});
