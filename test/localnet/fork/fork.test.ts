import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { MEMO_V3_PROGRAM } from '../../../src/localnet/addresses/program-ids.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { fundedWallet, landed, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { forked, KEY, sourceNode } from './source-node.ts';

const directory = useNewDirectory();
const newAddress = (): string => Keypair.generate().publicKey.toBase58();

/** The calls of a fork to its node before anything is touched. */
const BEGINNING = ['getGenesisHash', 'getSlot', 'getEpochSchedule'];

test('an account is there at every commitment once it is read, and is fetched once', async () => {
  const source = await sourceNode();
  const address = newAddress();
  await source.cheat('localnet_setAccount', address, { lamports: 77, data: 'AQID' });
  source.tick();
  const { call, ledger } = await forked({ url: source.url });
  expect(source.calls).toEqual(BEGINNING);
  expect(ledger.slotAt('finalized')).toBeGreaterThan(source.ledger.slotAt('confirmed'));
  for (const commitment of ['finalized', 'confirmed', 'processed'] as const) {
    const { value } = await call('getAccountInfo', address, { commitment, encoding: 'base64' });
    expect(value).toMatchObject({ lamports: 77n, data: ['AQID', 'base64'] });
  }
  expect(await call('getBalance', address)).toMatchObject({ value: 77n });
  expect(source.calls).toEqual([...BEGINNING, 'getMultipleAccounts']);
  await source.cheat('localnet_setAccount', address, { lamports: 78 });
  source.tick();
  expect(await call('getBalance', address)).toMatchObject({ value: 77n });
});

test('a hundred accounts take one call, at the same time too, and absent ones are not asked for again', async () => {
  const source = await sourceNode();
  const { call } = await forked({ url: source.url });
  const addresses = Array.from({ length: 100 }, newAddress);
  source.calls.length = 0;
  const answers = await Promise.all([
    call('getMultipleAccounts', addresses),
    call('getMultipleAccounts', addresses.slice(50)),
    call('getBalance', addresses[7] ?? ''),
  ]);
  expect(answers[0].value).toEqual(addresses.map(() => null));
  expect(source.calls).toEqual(['getMultipleAccounts']);
});

test('a wallet of the source pays here, and what is emptied here stays empty', async () => {
  const source = await sourceNode();
  const [wallet, target] = [await fundedWallet(source), newAddress()];
  source.tick();
  const fork = await forked({ url: source.url });
  const all = transfer(wallet, new PublicKey(target), 10n * SOL - 5_000n);
  const signature = await fork.call('sendTransaction', signed(fork, [wallet], all), {
    encoding: 'base64',
    preflightCommitment: 'confirmed',
  });
  expect(await landed(fork, signature)).toMatchObject({ err: null });
  fork.tick(40);
  expect(await fork.call('getAccountInfo', wallet.publicKey.toBase58())).toMatchObject({ value: null });
  expect(await fork.call('getBalance', target)).toMatchObject({ value: 10n * SOL - 5_000n });
});

test('a program of the source runs with its code', async () => {
  const source = await sourceNode();
  const [program, other] = [newAddress(), newAddress()];
  const code = Buffer.from(source.ledger.runtime.read(MEMO_V3_PROGRAM)?.data ?? []).toString('base64');
  for (const each of [program, other]) await source.cheat('localnet_setProgram', each, code);
  source.tick();
  const fork = await forked({ url: source.url });
  const wallet = await fundedWallet(fork);
  const call = (address: string) =>
    new TransactionInstruction({ programId: new PublicKey(address), keys: [], data: Buffer.from('hi') });
  const text = signed(fork, [wallet], call(program));
  expect(
    await fork.call('simulateTransaction', text, { encoding: 'base64', commitment: 'processed' }),
  ).toMatchObject({
    value: { err: null },
  });
  expect(await landed(fork, await sendNow(fork, text))).toMatchObject({
    err: null,
    logs: expect.arrayContaining([`Program ${program} success`]),
  });
  await fork.cheat('localnet_setProgramAuthority', other, 'none');
  expect(await landed(fork, await sendNow(fork, signed(fork, [wallet], call(other))))).toMatchObject({
    err: null,
  });
});

test('a second start with the cassette answers the same without a call, and nothing in it tells of the node', async () => {
  const source = await sourceNode();
  const [wallet, absent] = [await fundedWallet(source), newAddress()];
  source.tick();
  const cassette = join(directory(), 'mainnet.cassette');
  const addresses = [wallet.publicKey.toBase58(), absent];
  const read = async (given: Parameters<typeof forked>[0], order: readonly string[]) => {
    const { call, fork, ledger, warnings } = await forked(given);
    for (const address of order) await call('getBalance', address);
    const { value } = await call('getMultipleAccounts', addresses, { encoding: 'base64' });
    await fork.close();
    expect(warnings).toEqual([]);
    return { value, slot: ledger.manifest.fork?.slot };
  };
  const first = await read({ url: source.url, cassette }, addresses);
  const bytes = readFileSync(cassette, 'utf8');
  expect(bytes).not.toContain(KEY);
  expect(bytes).not.toContain(source.host);
  const [head] = bytes.split('\n');
  expect(JSON.parse(head ?? '')).toEqual({
    format: 'keyslot cassette 1',
    genesisHash: await source.call('getGenesisHash'),
    slot: Number(source.ledger.slotAt('confirmed')),
    epochSchedule: {
      slotsPerEpoch: 432_000,
      leaderScheduleSlotOffset: 432_000,
      warmup: false,
      firstNormalEpoch: 0,
      firstNormalSlot: 0,
    },
  });
  const other = join(directory(), 'other.cassette');
  await read({ url: source.url, cassette: other }, addresses.toReversed());
  expect(readFileSync(other, 'utf8')).toBe(bytes);
  source.calls.length = 0;
  expect(await read({ url: source.url, cassette }, [])).toEqual(first);
  expect(await read({ cassette }, [])).toEqual(first);
  expect(source.calls).toEqual([]);
  expect(readFileSync(cassette, 'utf8')).toBe(bytes);
  const offline = await forked({ cassette });
  const unknown = newAddress();
  expect((await offline.refusal('getBalance', unknown)).message).toBe(
    `Fork: the account ${unknown} is not available: it is not in the cassette, and without --fork there is no node to fetch it from`,
  );
});

test('snapshots hold accounts that were fetched since, and reset makes them what they were at the source', async () => {
  const source = await sourceNode();
  const [early, late] = [newAddress(), newAddress()];
  for (const each of [early, late]) await source.cheat('localnet_setAccount', each, { lamports: 5_000_000 });
  source.tick();
  const { call, cheat } = await forked({ url: source.url });
  const balances = async () =>
    (await call('getMultipleAccounts', [early, late], { commitment: 'processed' })).value.map(
      (account) => account?.lamports,
    );
  await call('getBalance', early);
  await cheat('localnet_snapshot', 'before');
  for (const each of [early, late]) await cheat('localnet_setAccount', each, { lamports: 1 });
  expect(await balances()).toEqual([1n, 1n]);
  await cheat('localnet_restore', 'before');
  expect(await balances()).toEqual([5_000_000n, 5_000_000n]);
  await cheat('localnet_setAccount', late, { lamports: 0 });
  expect(await balances()).toEqual([5_000_000n, undefined]);
  await cheat('localnet_resetAccount', late);
  expect(await balances()).toEqual([5_000_000n, 5_000_000n]);
});
