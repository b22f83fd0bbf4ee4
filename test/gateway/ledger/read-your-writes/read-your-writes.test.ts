import { expect, test } from 'vitest';
import { nextWire } from '../../../lab/clients/wire.ts';
import { type ChainNode, SLOT_MS } from '../../../lab/nodes/chain-node.ts';
import { inTime, pass, useChainTime } from '../../nodes/pool/chain-pool.ts';
import { type Answer, startChainGateway, WAIT_MS } from './chain-gateway.ts';

useChainTime();

const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
const AT_PROCESSED = { commitment: 'processed' };

const slotOf = ({ result }: Answer): number =>
  typeof result === 'number' ? result : (result as { context: { slot: number } }).context.slot;

/** Two nodes within the lag that is allowed: the second one is behind the first. */
async function uneven(options: Parameters<typeof startChainGateway>[0] = {}, lag = 10) {
  const gateway = await startChainGateway({ nodes: 2, ...options });
  const [ahead, behind] = gateway.nodes;
  if (ahead === undefined || behind === undefined) throw new Error('no node');
  behind.lag = lag;
  await pass(1_100);
  return { ...gateway, ahead, behind };
}

test('a node behind what its key has seen is not asked; keys that have seen nothing are answered by all', async () => {
  const { callOwn, behind, ahead, readYourWrites } = await uneven();
  readYourWrites.noteSlot('processed', ahead.slot(), { accountId: 'a', keyId: 'k1' });
  const asked = behind.asked('getBalance');
  for (let round = 0; round < 6; round++) await callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  expect(behind.asked('getBalance')).toBe(asked);
  for (let round = 0; round < 6; round++)
    await callOwn(`new ${round}`, 'getBalance', [ADDRESS, AT_PROCESSED]);
  expect(behind.asked('getBalance')).toBeGreaterThan(asked);
});

test.each([
  ['getSlot', [AT_PROCESSED]],
  ['getBlockHeight', [AT_PROCESSED]],
  ['getBalance', [ADDRESS, AT_PROCESSED]],
] as const)('%s never goes backwards for one key, however its nodes lag', async (method, params) => {
  const { callOwn, nodes } = await uneven();
  let highest = 0;
  for (let round = 0; round < 40; round++) {
    for (const [index, node] of nodes.entries()) node.lag = (round * (index + 3)) % 12;
    const slot = slotOf(await inTime(callOwn('k1', method, params)));
    expect(slot).toBeGreaterThanOrEqual(highest);
    highest = slot;
    await pass(150);
  }
});

test('minContextSlot is added where the method has it, and nothing else of the call is changed', async () => {
  const { callOwn, readYourWrites, nodes, ahead } = await uneven();
  const seen = ahead.slot('finalized');
  readYourWrites.noteSlot('finalized', seen, { accountId: 'a', keyId: 'k1' });
  await callOwn('k1', 'getBalance', [ADDRESS]);
  await callOwn('k1', 'getBalance', [ADDRESS, { dataSlice: null }]);
  await callOwn('k1', 'getLatestBlockhash');
  await callOwn('k1', 'getTokenSupply', [ADDRESS]);
  const sent = nodes.flatMap((node: ChainNode) => node.seen.map(({ params }) => params));
  expect(sent).toEqual(
    expect.arrayContaining([
      [ADDRESS, { minContextSlot: seen }],
      [ADDRESS, { dataSlice: null, minContextSlot: seen }],
      [{ minContextSlot: seen }],
      [ADDRESS],
    ]),
  );
});

test('where all are behind the call waits for one; after the wait it says what it has seen and how far they are', async () => {
  const { callOwn, readYourWrites, nodes, ahead } = await uneven({}, 0);
  readYourWrites.noteSlot('processed', ahead.slot() + 3, { accountId: 'a', keyId: 'k1' });
  const waiting = callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  await pass(900);
  expect(slotOf(await waiting)).toBeGreaterThan(0);
  const far = ahead.slot() + 1_000;
  readYourWrites.noteSlot('processed', far, { accountId: 'a', keyId: 'k1' });
  const refused = callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  await pass(WAIT_MS);
  expect(await refused).toMatchObject({
    error: { code: 'readBehind', data: { seen: `slot ${far}`, commitment: 'processed' } },
  });
  const before = nodes.reduce((sum, node) => sum + node.seen.length, 0);
  await pass(61_000);
  expect((await callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED])).error).toBeUndefined();
  expect(nodes.reduce((sum, node) => sum + node.seen.length, 0)).toBe(before + 1);
});

test('a call that waits for a node does not wait for a probe that the node hung on before', async () => {
  for (let hungMs = 0; hungMs < 2_200; hungMs += 50) {
    const { nodes, callOwn, close } = await startChainGateway();
    const [first, second, third] = nodes;
    if (first === undefined || second === undefined || third === undefined) throw new Error('no node');
    [second.fault, third.fault] = ['refuses', 'hangs'];
    await inTime(callOwn('k', 'getSlot', [AT_PROCESSED]));
    await pass(5_000 + hungMs);
    await inTime(callOwn('k', 'getSlot', [AT_PROCESSED]));
    first.lag = 200;
    third.fault = undefined;
    expect(await inTime(callOwn('k', 'getSlot', [AT_PROCESSED]))).toHaveProperty('result');
    await close();
  }
});

test('an explicit minContextSlot goes to a node that has reached it; one that none has soon is refused at once', async () => {
  const { callOwn, ahead, behind } = await uneven();
  const asked = behind.asked('getBalance');
  for (let round = 0; round < 6; round++) {
    const minContextSlot = ahead.slot('confirmed');
    expect(
      slotOf(
        await callOwn(`k${round}`, 'getBalance', [ADDRESS, { commitment: 'confirmed', minContextSlot }]),
      ),
    ).toBeGreaterThanOrEqual(minContextSlot);
  }
  expect(behind.asked('getBalance')).toBe(asked);
  for (const key of ['k9', 'k1']) {
    const before = ahead.asked('getBalance') + behind.asked('getBalance');
    const far = await callOwn(key, 'getBalance', [ADDRESS, { minContextSlot: ahead.slot() + 100_000 }]);
    expect(far.error).toMatchObject({ code: -32016, message: 'Minimum context slot has not been reached' });
    expect(ahead.asked('getBalance') + behind.asked('getBalance')).toBe(before + 1);
  }
});

test('sessions of one key are told apart, and what one has seen holds for no other', async () => {
  const { callOwn, readYourWrites, ahead, behind } = await uneven();
  readYourWrites.noteSlot('processed', ahead.slot(), { accountId: 'a', keyId: 'k1', session: 'ann' });
  const read = (session?: string) => callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED], session);
  const asked = behind.asked('getBalance');
  for (let round = 0; round < 4; round++) await read('ann');
  expect(behind.asked('getBalance')).toBe(asked);
  for (let round = 0; round < 4; round++) await read(`ben ${round}`);
  expect(behind.asked('getBalance')).toBeGreaterThan(asked);
});

test('a commitment that is seen holds for it and for less certain ones, not for more certain ones', async () => {
  const { readYourWrites } = await uneven();
  readYourWrites.noteSlot('confirmed', 500, { accountId: 'a', keyId: 'k1' });
  const isBehind = (commitment: string, slot: number) =>
    readYourWrites.isBehind(
      { method: 'getBalance', params: [ADDRESS, { commitment }] },
      { slot },
      { accountId: 'a', keyId: 'k1' },
    );
  expect([isBehind('processed', 499), isBehind('confirmed', 499), isBehind('finalized', 1)]).toEqual([
    true,
    true,
    false,
  ]);
  expect([isBehind('confirmed', 500), isBehind('processed', 500)]).toEqual([false, false]);
});

test('a node that ignores minContextSlot and answers from behind is passed over by the slot of its answer', async () => {
  const { callOwn, ahead, behind } = await uneven({}, 0);
  behind.knowsMinContextSlot = false;
  for (let round = 0; round < 12; round++) {
    await inTime(callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]));
    behind.lag = 4;
    const seen = ahead.slot();
    const slot = slotOf(await inTime(callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED])));
    expect(slot).toBeGreaterThanOrEqual(seen);
    behind.lag = 0;
    await pass(1_100);
  }
});

test('a kept answer is not given to a reader that has seen a later state', async () => {
  const { callOwn, readYourWrites, ahead } = await uneven({}, 0);
  const first = await callOwn('k1', 'getStakeMinimumDelegation', [{ commitment: 'confirmed' }]);
  const again = await callOwn('k2', 'getStakeMinimumDelegation', [{ commitment: 'confirmed' }]);
  expect([first.cacheStatus, again.cacheStatus]).toEqual(['fwd=miss; stored', 'hit']);
  readYourWrites.noteSlot('confirmed', ahead.slot('confirmed') + 1, { accountId: 'a', keyId: 'k3' });
  const later = callOwn('k3', 'getStakeMinimumDelegation', [{ commitment: 'confirmed' }]);
  await pass(900);
  expect(slotOf(await later)).toBeGreaterThan(slotOf(first));
  expect((await later).cacheStatus).toBe('fwd=bypass');
});

test('in a batch each answer keeps the promise', async () => {
  const { batch, readYourWrites, ahead } = await uneven();
  for (let round = 0; round < 10; round++) {
    const seen = ahead.slot();
    readYourWrites.noteSlot('processed', seen, { accountId: 'a', keyId: 'k1' });
    const answers = await inTime(
      batch('k1', [
        ['getBalance', [ADDRESS, AT_PROCESSED]],
        ['getSlot', [AT_PROCESSED]],
        ['getBalance', [ADDRESS]],
      ]),
    );
    expect(
      answers
        .slice(0, 2)
        .map(slotOf)
        .every((slot) => slot >= seen),
    ).toBe(true);
    expect(answers[2]?.error).toBeUndefined();
    await pass(300);
  }
});

test('in a batch a call is answered that needs nothing of what its key has seen, where the others fail', async () => {
  const { batch, readYourWrites, ahead } = await uneven();
  const far = ahead.slot() + 1_000;
  readYourWrites.noteSlot('processed', far, { accountId: 'a', keyId: 'k1' });
  const seen = ahead.slot('finalized');
  readYourWrites.noteSlot('finalized', seen, { accountId: 'a', keyId: 'k1' });
  const answers = await inTime(
    batch('k1', [
      ['getBalance', [ADDRESS]],
      ['getBalance', [ADDRESS, AT_PROCESSED]],
      ['getVersion', []],
      ['getBlock', [seen - 500, { commitment: 'confirmed' }]],
      ['getGenesisHash', []],
      ['getBlock', [seen - 500]],
    ]),
  );
  expect(answers.map(({ result, error }) => (result === undefined ? error?.code : 'answered'))).toEqual([
    ...['answered', 'readBehind', 'answered', 'answered', 'answered', 'answered'],
  ]);
  expect(answers[1]?.error?.data).toMatchObject({ seen: `slot ${far}`, commitment: 'processed' });
});

const TWO_READS = [
  ['getBalance', [ADDRESS, AT_PROCESSED]],
  ['getBalance', [ADDRESS, AT_PROCESSED]],
] as const;

test('batches alone are answered at once in every slot: their answers show how far their node is', async () => {
  const { batch, nodes } = await startChainGateway({ nodes: 1 });
  for (let round = 0; round < 5; round++) {
    for (let times = 0; times < 2; times++) {
      const answers = batch('k1', TWO_READS);
      expect(await Promise.race([answers, pass(5).then(() => 'late')])).toHaveLength(2);
    }
    await pass(SLOT_MS);
  }
  expect(nodes[0]?.asked('getBalance')).toBe(20);
});

test('a batch is held against what its key had seen when it was sent, as a single call is', async () => {
  const { batch, readYourWrites, nodes } = await startChainGateway({ nodes: 1 });
  const [node] = nodes;
  if (node === undefined) throw new Error('no node');
  node.delayMs = 50;
  const answers = batch('k1', TWO_READS);
  readYourWrites.noteSlot('processed', node.slot() + 1, { accountId: 'a', keyId: 'k1' });
  await pass(50);
  expect((await answers).map(({ error }) => error)).toEqual([undefined, undefined]);
  expect(node.asked('getBalance')).toBe(2);
});

test('turned off, any node is asked, and nothing is added', async () => {
  const { callOwn, behind, nodes } = await uneven({ isOn: false });
  for (let round = 0; round < 6; round++) await callOwn('k1', 'getBalance', [ADDRESS, AT_PROCESSED]);
  expect(behind.asked('getBalance')).toBeGreaterThan(0);
  expect(JSON.stringify(nodes.map(({ seen }) => seen))).not.toContain('minContextSlot');
});

test('a transaction goes to a node that has reached what its key has seen, and is sent all the same if none has', async () => {
  const { readYourWrites, callOwn, ahead, behind } = await uneven();
  readYourWrites.noteSlot('finalized', ahead.slot('finalized'), { accountId: 'a', keyId: 'k1' });
  const wire = nextWire();
  for (let round = 0; round < 4; round++)
    await callOwn('k1', 'sendTransaction', [wire, { encoding: 'base64' }]);
  expect(behind.asked('sendTransaction')).toBe(0);
  readYourWrites.noteSlot('finalized', ahead.slot() + 5_000, { accountId: 'a', keyId: 'k1' });
  const config = { encoding: 'base64', minContextSlot: 1 };
  expect((await callOwn('k1', 'sendTransaction', [wire, config])).result).toBe('signature');
  // Nothing is added to it that the node would refuse it for.
  expect(await callOwn('k1', 'sendTransaction', [nextWire(), { encoding: 'base64' }])).toMatchObject({
    result: 'signature',
  });
});
