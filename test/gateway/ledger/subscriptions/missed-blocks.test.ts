import { describe, expect, test } from 'vitest';
import { eventually } from '../../../../src/core/eventually.ts';
import { NodeRefusal } from '../../../support/scripted-pubsub.ts';
import { ADDRESS, CONFIRMED, OTHER, SIGNATURE, account, gapOf, resultOf, useStage } from './use-stage.ts';

const stage = useStage();

function transaction(signature: string, account: string, logs: readonly string[], program = OTHER) {
  return {
    transaction: {
      signatures: [signature],
      message: {
        accountKeys: [account, program],
        header: { numRequiredSignatures: 1, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
        instructions: [{ programIdIndex: 1 }],
      },
    },
    meta: { err: null, logMessages: logs },
  };
}

describe('logs', () => {
  const VOTE = 'Vote111111111111111111111111111111111111111';
  const log = (slot: number, signature: string, logs: readonly string[] = ['x']) => ({
    context: { slot },
    value: { signature, err: null, logs },
  });

  test('are read from the missed blocks, each once and in order', async () => {
    await stage.start();
    await stage.client.call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
    stage.node.notify('logsSubscribe', log(150, 'a'));
    await stage.client.next();
    const blocks: Record<number, unknown[]> = {
      150: [transaction('a', ADDRESS, ['x']), transaction('b', ADDRESS, ['y'])],
      152: [transaction('v', ADDRESS, [], VOTE), transaction('c', ADDRESS, ['z'])],
    };
    stage.node.answers.getBlocks = ([from]: readonly unknown[]) =>
      Object.keys(blocks)
        .map(Number)
        .filter((slot) => slot >= Number(from));
    stage.node.answers.getBlock = ([slot]: readonly unknown[]) => ({ transactions: blocks[Number(slot)] });
    stage.node.answers.getSlot = 155;
    await stage.lose('logsSubscribe');
    expect(resultOf(await stage.client.next())).toEqual(log(150, 'b', ['y']));
    expect(resultOf(await stage.client.next())).toEqual(log(152, 'c', ['z']));
    stage.node.notify('logsSubscribe', log(152, 'c', ['z']));
    stage.node.notify('logsSubscribe', log(156, 'd'));
    expect(resultOf(await stage.client.next())).toEqual(log(156, 'd'));
    expect(stage.client.texts.filter((line) => line.includes('gapNotification'))).toEqual([]);
  });

  test('of an address are those of transactions that name it', async () => {
    await stage.start();
    await stage.client.call('logsSubscribe', [{ mentions: [ADDRESS] }, { commitment: 'confirmed' }]);
    stage.node.notify('logsSubscribe', log(150, 'a'));
    await stage.client.next();
    stage.node.answers.getSlot = 155;
    stage.node.answers.getBlocks = [152];
    const loaded = transaction('l', '1'.repeat(32), ['loaded']);
    Object.assign(loaded.meta, { loadedAddresses: { writable: [], readonly: [ADDRESS] } });
    stage.node.answers.getBlock = { transactions: [transaction('n', '1'.repeat(32), ['no']), loaded] };
    stage.node.cut();
    expect(resultOf(await stage.client.next())).toEqual(log(152, 'l', ['loaded']));
  });

  test('of a block that cannot be read are a gap, of that block', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
    stage.node.notify('logsSubscribe', log(150, 'a'));
    await stage.client.next();
    stage.node.answers.getSlot = 155;
    stage.node.answers.getBlocks = [151, 152];
    stage.node.answers.getBlock = ([slot]: readonly unknown[]) =>
      slot === 151
        ? new NodeRefusal(-32001, 'cleaned up')
        : { transactions: [transaction('c', ADDRESS, ['z'])] };
    stage.node.cut();
    expect(gapOf(await stage.client.next())).toEqual({ subscriptions: [id], fromSlot: 151, toSlot: 151 });
    expect(resultOf(await stage.client.next())).toEqual(log(152, 'c', ['z']));
  });

  test.each([
    [400, 4_000],
    [200, 3_000],
    [undefined, 1_000],
  ])(
    'of too long an outage are read from its end, 400 s at slots of %s ms, and its beginning is a gap',
    async (slotMs, gapEnd) => {
      await stage.start(slotMs === undefined ? {} : { slotMs });
      await stage.client.call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
      stage.node.notify('logsSubscribe', log(150, 'a'));
      await stage.client.next();
      stage.node.answers.getSlot = 5_000;
      const asked: unknown[] = [];
      stage.node.answers.getBlocks = (params: readonly unknown[]) => {
        asked.push(params);
        return [5_000];
      };
      stage.node.answers.getBlock = { transactions: [transaction('c', ADDRESS, ['z'])] };
      stage.node.cut();
      expect(gapOf(await stage.client.next())).toMatchObject({ fromSlot: 150, toSlot: gapEnd });
      expect(resultOf(await stage.client.next())).toEqual(log(5_000, 'c', ['z']));
      expect(asked).toEqual([[gapEnd + 1, 5_000, { commitment: 'confirmed' }]]);
    },
  );

  test('that one node gave before it was lost again are not asked of the next', async () => {
    await stage.start();
    await stage.client.call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
    stage.node.notify('logsSubscribe', log(150, 'a'));
    await stage.client.next();
    stage.node.answers.getSlot = 160;
    const asked: number[] = [];
    stage.node.answers.getBlocks = ([from]: readonly unknown[]) =>
      [151, 152, 153, 154, 155].filter((slot) => slot >= Number(from));
    const hangs = Promise.withResolvers<void>();
    stage.node.answers.getBlock = async ([slot]: readonly unknown[]) => {
      asked.push(Number(slot));
      if (asked.length === 5) await hangs.promise;
      return { transactions: [transaction(`of ${slot}`, ADDRESS, [])] };
    };
    await stage.lose('logsSubscribe');
    await eventually('the fifth block is asked for', () => asked.length === 5 || undefined);
    await stage.lose('logsSubscribe');
    for (const slot of [151, 152, 153, 154, 155])
      expect(resultOf(await stage.client.next())).toEqual(log(slot, `of ${slot}`, []));
    expect(asked.slice(5)).toEqual([155]);
    hangs.resolve();
    expect(stage.client.texts.filter((line) => line.includes('gapNotification'))).toEqual([]);
  });

  test('that come while blocks are read are told after them', async () => {
    await stage.start();
    await stage.client.call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
    stage.node.notify('logsSubscribe', log(150, 'a'));
    await stage.client.next();
    const slow = Promise.withResolvers<unknown>();
    stage.node.answers.getSlot = 155;
    stage.node.answers.getBlocks = [152];
    stage.node.answers.getBlock = () => slow.promise;
    await stage.lose('logsSubscribe');
    stage.node.notify('logsSubscribe', log(152, 'c', ['z']));
    stage.node.notify('logsSubscribe', log(156, 'd'));
    slow.resolve({ transactions: [transaction('c', ADDRESS, ['z'])] });
    expect(resultOf(await stage.client.next())).toEqual(log(152, 'c', ['z']));
    expect(resultOf(await stage.client.next())).toEqual(log(156, 'd'));
  });
});

test('logs of before the subscription are not read, however long ago the node was asked for its slot', async () => {
  await stage.start();
  const { result: id } = await stage.client.call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
  await stage.client.call('logsUnsubscribe', [id]);
  await stage.client.call('rootSubscribe');
  stage.node.slot = 9_000;
  await stage.lose('rootSubscribe');
  await stage.client.call('logsSubscribe', ['all', { commitment: 'confirmed' }]);
  await stage.lose('logsSubscribe');
  const listed = await eventually('blocks are listed', () =>
    stage.node.asked.find(({ method }) => method === 'getBlocks'),
  );
  expect(Number(listed.params?.[0])).toBeGreaterThan(8_900);
});

describe('a program', () => {
  const keyed = (slot: number, pubkey: string, lamports: number) => ({
    context: { slot },
    value: { pubkey, account: account(slot, lamports).value },
  });

  test('has those of its accounts told that the missed blocks could write, as they are now', async () => {
    await stage.start();
    const { result: id } = await stage.client.call('programSubscribe', [OTHER, CONFIRMED]);
    stage.node.notify('programSubscribe', keyed(150, ADDRESS, 1));
    await stage.client.next();
    stage.node.answers.getSlot = 155;
    stage.node.answers.getBlocks = [152];
    stage.node.answers.getBlock = { transactions: [transaction('c', ADDRESS, [])] };
    stage.node.answers.getProgramAccounts = {
      context: { slot: 156 },
      value: [keyed(0, ADDRESS, 9).value, keyed(0, SIGNATURE, 3).value],
    };
    await stage.lose('programSubscribe');
    expect(gapOf(await stage.client.next())).toEqual({ subscriptions: [id], fromSlot: 150, toSlot: 156 });
    expect(resultOf(await stage.client.next())).toEqual(keyed(156, ADDRESS, 9));
    stage.node.notify('programSubscribe', keyed(157, SIGNATURE, 4));
    expect(resultOf(await stage.client.next())).toEqual(keyed(157, SIGNATURE, 4));
  });
});

describe('blocks', () => {
  const told = (slot: number, block: unknown) => ({
    context: { slot },
    value: { slot, block, err: null },
  });

  test('that were missed are told in order, as they would have been', async () => {
    await stage.start();
    const config = { commitment: 'confirmed', transactionDetails: 'none', showRewards: true };
    await stage.client.call('blockSubscribe', ['all', config]);
    stage.node.notify('blockSubscribe', told(150, { blockhash: 'a' }));
    await stage.client.next();
    const asked: unknown[] = [];
    stage.node.answers.getSlot = 155;
    stage.node.answers.getBlocks = [151, 153];
    stage.node.answers.getBlock = ([slot, given]: readonly unknown[]) => {
      asked.push(given);
      return { blockhash: `of ${slot}` };
    };
    await stage.lose('blockSubscribe');
    expect(resultOf(await stage.client.next())).toEqual(told(151, { blockhash: 'of 151' }));
    expect(resultOf(await stage.client.next())).toEqual(told(153, { blockhash: 'of 153' }));
    expect(asked[0]).toEqual({
      commitment: 'confirmed',
      encoding: 'base64',
      transactionDetails: 'none',
      rewards: true,
    });
    stage.node.notify('blockSubscribe', told(153, { blockhash: 'of 153' }));
    stage.node.notify('blockSubscribe', told(156, { blockhash: 'b' }));
    expect(resultOf(await stage.client.next())).toEqual(told(156, { blockhash: 'b' }));
  });

  test('that a node cannot write are told once, and again when it can', async () => {
    await stage.start();
    await stage.client.call('blockSubscribe', ['all', { commitment: 'confirmed' }]);
    const failed = (slot: number) => ({
      context: { slot },
      value: { slot, block: null, err: 'BlockStoreError' },
    });
    const [early, late] = [told(151, { blockhash: 'a' }), told(152, { blockhash: 'b' })];
    for (const result of [failed(151), failed(151), failed(152), early, late, late])
      stage.node.notify('blockSubscribe', result);
    for (const result of [failed(151), failed(152), early, late])
      expect(resultOf(await stage.client.next())).toEqual(result);
    stage.node.notify('blockSubscribe', told(153, null));
    expect(resultOf(await stage.client.next())).toEqual(told(153, null));
  });

  test('that mention an address are a gap', async () => {
    await stage.start();
    const filter = { mentionsAccountOrProgram: ADDRESS };
    const { result: id } = await stage.client.call('blockSubscribe', [filter, { commitment: 'confirmed' }]);
    stage.node.notify('blockSubscribe', told(150, null));
    await stage.client.next();
    stage.node.slot = 180;
    await stage.lose('blockSubscribe');
    const { subscriptions, fromSlot, toSlot } = gapOf(await stage.client.next());
    expect([subscriptions, fromSlot]).toEqual([[id], 151]);
    expect(toSlot).toBeGreaterThanOrEqual(180);
  });
});
