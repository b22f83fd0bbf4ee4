import { expect, test } from 'vitest';
import { chainSlot } from '../../../lab/nodes/chain-node.ts';
import { inTime, pass, useChainTime } from '../../nodes/pool/chain-pool.ts';
import { startChainGateway, WAIT_MS } from './chain-gateway.ts';

useChainTime();

const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
const SIGNATURE = '5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW';
const UNKNOWN = SIGNATURE.replace(/^5/, '4');
const AT_PROCESSED = { commitment: 'processed' };
const FINALIZED = 32;
const BACK = 5_000;

/** One node of recent blocks, which answers, and one for old history, which is behind it. */
async function archived(lag: number) {
  const gateway = await startChainGateway({
    nodes: 2,
    shares: [{ roles: ['read'] }, { roles: ['archive'] }],
    prepare: ([pruned, archive]) => {
      if (pruned === undefined || archive === undefined) throw new Error('no node');
      pruned.firstSlot = chainSlot() - 100;
      archive.lag = lag;
    },
  });
  const [pruned, archive] = gateway.nodes;
  if (pruned === undefined || archive === undefined) throw new Error('no node');
  const see = () => inTime(gateway.callOwn('k1', 'getSlot'));
  return { ...gateway, pruned, archive, see };
}

test.each([1, 2, 500])(
  'old history is read only at a node that has it, also where that is %i slots behind what the key has seen',
  async (lag) => {
    const { callOwn, pruned, archive, see } = await archived(lag);
    for (let round = 0; round < 10; round++) {
      await see();
      const old = chainSlot() - BACK;
      const blocks = await inTime(callOwn('k1', 'getBlocksWithLimit', [old, 3]));
      expect(blocks.result).toEqual([old, old + 1, old + 2]);
      const all = await inTime(callOwn('k1', 'getSignaturesForAddress', [ADDRESS]));
      expect(all.result).toHaveLength(1_000);
      await pass(70);
    }
    for (const method of ['getBlocksWithLimit', 'getSignaturesForAddress'])
      expect([pruned.asked(method), archive.asked(method) >= 10]).toEqual([0, true]);
  },
);

test('a list of old history waits for its node to catch up, for a time, and is answered without the last slots then', async () => {
  const { callOwn, archive, see } = await archived(40);
  const read = () => callOwn('k1', 'getSignaturesForAddress', [ADDRESS]);
  await see();
  const waiting = read();
  await pass(WAIT_MS / 2);
  expect(archive.seen).toEqual([]);
  archive.lag = 0;
  await inTime(waiting);
  const [inTimeParams] = archive.seen.map(({ params }) => params);
  expect(inTimeParams).toEqual([ADDRESS, { minContextSlot: expect.any(Number) }]);
  archive.lag = 200;
  await pass(1_100);
  await see();
  const late = read();
  await pass(WAIT_MS - 300);
  expect(archive.seen).toHaveLength(1);
  await pass(400);
  expect(await late).toHaveProperty('result');
  expect(archive.seen.at(-1)?.params).toEqual([ADDRESS]);
});

test('a list of old history that asks for a slot itself is refused where its node has not reached that', async () => {
  const { callOwn, pruned, see } = await archived(200);
  await see();
  const minContextSlot = pruned.slot('finalized');
  const refused = await inTime(callOwn('k1', 'getSignaturesForAddress', [ADDRESS, { minContextSlot }]));
  expect(refused.error).toMatchObject({ code: 'minContextSlotNotReached' });
  const reached = chainSlot() - 200 - FINALIZED;
  const read = callOwn('k1', 'getSignaturesForAddress', [ADDRESS, { minContextSlot: reached }]);
  expect((await inTime(read)).result).toHaveLength(1_000);
  expect(pruned.asked('getSignaturesForAddress')).toBe(0);
});

test('a list of old history keeps the id of its call, also one that nodes do not take', async () => {
  const { callOwn, see } = await archived(500);
  await see();
  const answer = await inTime(callOwn('k1', 'getSignaturesForAddress', [ADDRESS], undefined, 1.5));
  expect(answer).toMatchObject({ id: 1.5, result: { length: 1_000 } });
});

test('a list of old history is whole in a batch, too', async () => {
  const { batch, pruned } = await archived(1);
  const old = chainSlot() - BACK;
  for (let round = 0; round < 4; round++) {
    const list = ['getBlocksWithLimit', [old, 2]] as const;
    const answers = await inTime(batch('k1', [list, ['getSlot', []], ['getGenesisHash', []], list]));
    expect([answers[0]?.result, answers[3]?.result]).toEqual([
      [old, old + 1],
      [old, old + 1],
    ]);
  }
  expect(pruned.asked('getBlocksWithLimit')).toBe(0);
});

test('a list that all nodes have is not answered without what its key has seen', async () => {
  const { callOwn, readYourWrites, nodes } = await startChainGateway({ nodes: 2 });
  const [node] = nodes;
  if (node === undefined) throw new Error('no node');
  readYourWrites.noteSlot('finalized', node.slot() + 1_000, { accountId: 'a', keyId: 'k1' });
  const refused = await inTime(callOwn('k1', 'getSignaturesForAddress', [ADDRESS]));
  expect(refused.error).toMatchObject({ code: 'readBehind' });
});

test('an archive that is ahead is no reason to ask it for what is no history, nor to fail', async () => {
  const { callOwn, readYourWrites, pruned, archive } = await archived(0);
  pruned.lag = 3;
  await pass(1_100);
  readYourWrites.noteSlot('processed', archive.slot(), { accountId: 'a', keyId: 'k1' });
  const answer = callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  await pass(700);
  expect(await Promise.race([answer, pass(0).then(() => 'late')])).toHaveProperty('result');
  expect(archive.asked('getBalance')).toBe(0);
});

test('a status that one node does not have any more is read at one that has, if it is searched for', async () => {
  const { callOwn, pruned, archive, see } = await archived(0);
  await see();
  archive.landed.set(SIGNATURE, chainSlot() - BACK);
  const search = (...config: readonly object[]) =>
    inTime(callOwn('k1', 'getSignatureStatuses', [[SIGNATURE], ...config]));
  const { result } = await search({ searchTransactionHistory: true, commitment: 'finalized' });
  expect(result).toMatchObject({ value: [{ slot: chainSlot() - BACK, err: null }] });
  archive.seen.length = 0;
  for (const config of [[], [{ searchTransactionHistory: false }]])
    expect((await search(...config)).result).toMatchObject({ value: [null] });
  expect(archive.seen).toEqual([]);
  archive.landed.clear();
  expect((await search({ searchTransactionHistory: true })).result).toMatchObject({ value: [null] });
  archive.fault = 'hangs';
  const asked = pruned.asked('getSignatureStatuses');
  pruned.landed.set(SIGNATURE, chainSlot());
  expect((await search({ searchTransactionHistory: true })).result).not.toMatchObject({ value: [null] });
  expect(pruned.asked('getSignatureStatuses')).toBe(asked + 1);
});

test.each([
  ['the node of old history last', ['read'], ['archive']],
  ['the node of old history first', ['archive', 'read'], ['read']],
] as const)(
  'a status that one node has is shown although another signature is unknown everywhere: %s',
  async (_, first, second) => {
    const { callOwn, nodes } = await startChainGateway({
      nodes: 2,
      shares: [{ roles: [...first] }, { roles: [...second] }],
    });
    const archive = nodes[(first as readonly string[]).includes('archive') ? 0 : 1];
    archive?.landed.set(SIGNATURE, chainSlot() - BACK);
    const params = [[UNKNOWN, SIGNATURE], { searchTransactionHistory: true }];
    for (let round = 0; round < 4; round++) {
      const { result } = await inTime(callOwn(`k${round}`, 'getSignatureStatuses', params));
      expect((result as { readonly value: unknown }).value).toEqual([
        null,
        expect.objectContaining({ err: null }),
      ]);
    }
  },
);
