import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Localnet, startLocalnet } from '../../../src/localnet/start-localnet.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { forked, type SourceNode, sourceNode } from './source-node.ts';

const directory = useNewDirectory();
/** Of devnet. */
const DEVNET = {
  slotsPerEpoch: 432_000,
  leaderScheduleSlotOffset: 432_000,
  warmup: true,
  firstNormalEpoch: 14,
  firstNormalSlot: 524_256,
};
const SHOWN = {
  slotsPerEpoch: 432_000n,
  leaderScheduleSlotOffset: 432_000n,
  warmup: true,
  firstNormalEpoch: 14n,
  firstNormalSlot: 524_256n,
};
const DEFAULT = { slotsPerEpoch: 432_000n, warmup: false, firstNormalEpoch: 0n };
const SLOT = 1_000_000n;

/** A node with these epochs, or one that answers so. */
async function nodeWith(result: unknown = DEVNET): Promise<SourceNode> {
  const source = await sourceNode({ warpSlot: SLOT });
  source.failBy(({ method }) =>
    method === 'getEpochSchedule'
      ? { status: 200, body: JSON.stringify({ jsonrpc: '2.0', id: 1, result }) }
      : undefined,
  );
  return source;
}

test('a fork has the epochs of its node in every answer, from a cassette too', async () => {
  const source = await nodeWith();
  const cassette = join(directory(), 'devnet.cassette');
  const recorded = await forked({ url: source.url, cassette });
  await recorded.fork.close();
  source.calls.length = 0;
  const offline = await forked({ cassette });
  expect(source.calls).toEqual([]);
  for (const { call, ledger, warnings } of [recorded, offline]) {
    expect(await call('getEpochSchedule')).toEqual(SHOWN);
    const slot = ledger.blocks.openSlot;
    const [epoch, slotIndex] = [15n, slot - 524_256n - 432_000n];
    expect(await call('getEpochInfo', { commitment: 'processed' })).toMatchObject({
      epoch,
      slotIndex,
      slotsInEpoch: 432_000n,
      absoluteSlot: slot,
    });
    const parsed = { encoding: 'jsonParsed', commitment: 'processed' } as const;
    const schedule = await call('getAccountInfo', 'SysvarEpochSchedu1e111111111111111111111111', parsed);
    expect(schedule.value?.data).toMatchObject({ parsed: { info: SHOWN } });
    const clock = await call('getAccountInfo', 'SysvarC1ock11111111111111111111111111111111', parsed);
    expect(clock.value?.data).toMatchObject({ parsed: { info: { epoch, leaderScheduleEpoch: 16n } } });
    expect(warnings).toEqual([]);
  }
});

test('in the short epochs each is twice as long as the one before', async () => {
  const source = await nodeWith();
  const { call, tick, ledger } = await forked({ url: source.url }, { warpSlot: 80n, finalitySlots: 0 });
  const { address } = ledger.genesis.identity;
  for (const [epoch, first, length] of [
    [1n, 32n, 64n],
    [2n, 96n, 128n],
    [3n, 224n, 256n],
  ] as const) {
    const slot = ledger.blocks.openSlot;
    expect(await call('getEpochInfo', { commitment: 'processed' })).toMatchObject({
      epoch,
      slotIndex: slot - first,
      slotsInEpoch: length,
    });
    const config = { commitment: 'processed' } as const;
    expect((await call('getLeaderSchedule', null, config))?.[address]).toHaveLength(Number(length));
    tick(Number(first + length - slot));
  }
});

test('an epoch length that is given wins', async () => {
  const source = await nodeWith();
  const { call } = await forked({ url: source.url }, { slotsPerEpoch: 64 });
  expect(await call('getEpochSchedule')).toMatchObject({ slotsPerEpoch: 64n, warmup: false });
});

test.each([
  ['does not tell them', undefined, /its answer is not JSON-RPC/],
  [
    'has none that a ledger can have',
    { ...DEVNET, slotsPerEpoch: 5_000_000 },
    /a ledger cannot have such epochs/,
  ],
])('a node that %s causes a warning, and epochs are the default', async (_name, result, reason) => {
  const source = await nodeWith();
  source.failBy(({ method }) =>
    method === 'getEpochSchedule' ? { status: 200, body: JSON.stringify({ result }) } : undefined,
  );
  const { call, warnings } = await forked({ url: source.url });
  expect(await call('getEpochSchedule')).toMatchObject(DEFAULT);
  expect(warnings).toEqual([expect.stringMatching(reason)]);
  expect(warnings[0]).toContain(`cannot use the epochs of ${source.host}`);
});

test('a cassette of before has the default, and one with impossible epochs is refused', async () => {
  const source = await nodeWith();
  const cassette = join(directory(), 'devnet.cassette');
  const { fork } = await forked({ url: source.url, cassette });
  await fork.close();
  const text = readFileSync(cassette, 'utf8');
  const { epochSchedule: _epochs, ...head } = JSON.parse(text) as { readonly epochSchedule: object };
  writeFileSync(cassette, `${JSON.stringify(head)}\n`);
  expect(await (await forked({ cassette })).call('getEpochSchedule')).toMatchObject(DEFAULT);
  writeFileSync(cassette, `${JSON.stringify({ ...head, epochSchedule: { ...DEVNET, warmup: false } })}\n`);
  await expect(forked({ cassette })).rejects.toThrow('line 1: a ledger cannot have this epochSchedule');
});

test('a fork on disk keeps them, and what the command was given wins', async () => {
  const source = await nodeWith();
  const scheduleOf = async (options: object): Promise<unknown> => {
    const localnet: Localnet = await startLocalnet({ slotMs: 60_000, votes: false, ...options });
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getEpochSchedule' });
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(localnet.rpcUrl, { method: 'POST', headers, body });
    await localnet.close();
    return ((await answer.json()) as { readonly result: unknown }).result;
  };
  const ledger = join(directory(), 'ledger');
  expect(await scheduleOf({ fork: source.url, ledger })).toEqual(DEVNET);
  expect(await scheduleOf({ ledger })).toEqual(DEVNET);
  const manifest = join(ledger, 'ledger.json');
  writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('524256', '524257'));
  await expect(scheduleOf({ ledger })).rejects.toThrow('--reset deletes it and starts a new ledger');
  expect(await scheduleOf({ fork: source.url, slotsPerEpoch: 64 })).toMatchObject({
    slotsPerEpoch: 64,
    warmup: false,
  });
});
