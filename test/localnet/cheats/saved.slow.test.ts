import { mkdirSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { openSnapshotDirectory } from '../../../src/localnet/saved/snapshot-directory.ts';
import { startLocalnet } from '../../../src/localnet/start-localnet.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { everything } from '../disk/kept-ledger.ts';
import { forked, sourceNode } from '../fork/source-node.ts';
import { fundedWallet, landed, memo, sendNow, signed, SOL } from '../transactions.ts';
import { newCheatLedger } from './new-cheat-ledger.ts';

const directory = useNewDirectory();
const PROCESSED = { commitment: 'processed' } as const;
const newAddress = (): string => Keypair.generate().publicKey.toBase58();

test.each([{ votes: false }, { votes: true, historySlots: 512 }])(
  'a snapshot of a file is restored in another ledger, with its history and its undone slots (%o)',
  async (options) => {
    const snapshots = { directory: directory() };
    const one = newCheatLedger({ ...options, snapshots });
    const wallet = await fundedWallet(one);
    const address = wallet.publicKey.toBase58();
    one.tick(20);
    await one.cheat('localnet_warp', { slot: 5_000n });
    const closed = await sendNow(one, signed(one, [wallet], memo('closed')));
    one.tick(2);
    const open = await sendNow(one, signed(one, [wallet], memo('open')));
    const snapshot = await one.cheat('localnet_snapshot', 'a');
    const before = await everything(one, [address]);
    await one.call('requestAirdrop', address, SOL);
    one.tick(40);
    const { bytes, ...saved } = await one.cheat('localnet_saveSnapshot', 'a');
    expect(saved).toEqual(snapshot);
    expect(readFileSync(join(directory(), 'a.snapshot'))).toHaveLength(Number(bytes));
    const other = newCheatLedger({ ...options, snapshots, nowMs: () => 1_800_000_000_000 });
    await other.cheat('localnet_snapshot', 'own');
    expect(await other.cheat('localnet_loadSnapshot', 'a')).toEqual(snapshot);
    await other.cheat('localnet_restore', 'a');
    expect(await everything(other, [address])).toEqual(before);
    const { value } = await other.call('getSignatureStatuses', [closed, open]);
    expect(value.map((status) => status?.slot)).toEqual([5_000n, 5_002n]);
    await other.cheat('localnet_restore', 'own');
    expect(await other.call('getBalance', address, PROCESSED)).toMatchObject({ value: 0n });
    await other.cheat('localnet_restore', 'a');
    other.tick();
    const later = await sendNow(other, signed(other, [wallet], memo('later')));
    expect(await landed(other, later)).toMatchObject({ err: null });
  },
);

test('what cannot be saved or loaded is told by name', async () => {
  const snapshots = { directory: directory() };
  const test = newCheatLedger({ snapshots });
  const bare = newCheatLedger();
  await bare.cheat('localnet_snapshot', 'a');
  expect(await bare.cheatRefusal('localnet_saveSnapshot', 'a')).toMatch(
    /snapshot files need --snapshot-dir, which is not set/,
  );
  expect(await test.cheatRefusal('localnet_saveSnapshot', 'a')).toMatch(
    /there is no snapshot a; there are none/,
  );
  expect(await test.cheatRefusal('localnet_loadSnapshot', 'a')).toMatch(
    /a\.snapshot cannot be read \(ENOENT\)/,
  );
  await test.cheat('localnet_snapshot', 'a');
  await test.cheat('localnet_saveSnapshot', 'a');
  const others = [
    [{ slotsPerEpoch: 32 }, /other --slots-per-epoch: 432000; this one has 32/],
    [{ finalitySlots: 0 }, /other --finality-slots: 31; this one has 0/],
    [{ votes: true }, /other votes: false; this one has true/],
  ] as const;
  for (const [options, told] of others)
    expect(
      await newCheatLedger({ ...options, snapshots }).cheatRefusal('localnet_loadSnapshot', 'a'),
    ).toMatch(told);
  const path = join(directory(), 'a.snapshot');
  truncateSync(path, 100_000);
  expect(await test.cheatRefusal('localnet_loadSnapshot', 'a')).toMatch(
    /is not a snapshot: it is incomplete/,
  );
  writeFileSync(path, 'text');
  expect(await test.cheatRefusal('localnet_loadSnapshot', 'a')).toMatch(
    /its format is not "keyslot snapshot 1"/,
  );
  expect(await test.cheatRefusal('localnet_loadSnapshot', '../a')).toMatch(/has 1 to 64 letters/);
});

test('a snapshot that cannot be written leaves nothing behind', async () => {
  const test = newCheatLedger({ snapshots: { directory: directory() } });
  await test.cheat('localnet_snapshot', 'a');
  mkdirSync(join(directory(), 'a.snapshot'));
  expect((await test.refusal('localnet_saveSnapshot' as never, 'a')).code).toBe('snapshotNotSaved');
  expect(readdirSync(directory())).toEqual(['a.snapshot']);
});

test('at the start the directory is made, and what was not written to its end is deleted', () => {
  const path = join(directory(), 'new', 'snapshots');
  openSnapshotDirectory(path);
  const [old, recent, own] = ['a.snapshot.tmp', 'b.snapshot.tmp', 'c.snapshot'];
  for (const name of [old, recent, own]) writeFileSync(join(path, name), '');
  const longAgo = new Date(Date.now() - 3_600_000);
  for (const name of [old, own]) utimesSync(join(path, name), longAgo, longAgo);
  openSnapshotDirectory(path);
  expect(readdirSync(path).sort()).toEqual([recent, own]);
});

test.each([
  ['a file', 'file', 'EEXIST'],
  ['below a file', 'file/below', 'ENOTDIR'],
])('a directory that cannot be is refused at the start: %s', async (_name, path, told) => {
  writeFileSync(join(directory(), 'file'), '');
  const snapshotDir = join(directory(), path);
  await expect(startLocalnet({ snapshotDir })).rejects.toThrow(
    `--snapshot-dir: ${snapshotDir} cannot be written (${told})`,
  );
});

test('a snapshot of a fork is loaded in a fork of that network alone, and what was removed stays so', async () => {
  const source = await sourceNode();
  const [kept, removed] = [newAddress(), newAddress()];
  for (const each of [kept, removed]) await source.cheat('localnet_setAccount', each, { lamports: 9 });
  source.tick();
  const snapshots = { directory: directory() };
  const one = await forked({ url: source.url }, { snapshots });
  await one.call('getMultipleAccounts', [kept, removed]);
  await one.cheat('localnet_setAccount', removed, { lamports: 0 });
  await one.cheat('localnet_snapshot', 'a');
  await one.cheat('localnet_saveSnapshot', 'a');
  const other = await forked({ url: source.url }, { snapshots });
  await other.cheat('localnet_loadSnapshot', 'a');
  const balances = async () =>
    (await other.call('getMultipleAccounts', [kept, removed], PROCESSED)).value.map((each) => each?.lamports);
  expect(await balances()).toEqual([9n, 9n]);
  await other.cheat('localnet_restore', 'a');
  expect(await balances()).toEqual([9n, undefined]);
  expect(await newCheatLedger({ snapshots }).cheatRefusal('localnet_loadSnapshot', 'a')).toMatch(
    /is of a fork of the network with the genesis hash \w+; this ledger is no fork/,
  );
});

test('snapshots are bounded in bytes', async () => {
  const test = newCheatLedger({ snapshots: { maxBytes: 10_000 } });
  const data = Buffer.alloc(9_000).toString('base64');
  const address = newAddress();
  await test.cheat('localnet_setAccount', address, { lamports: 1, data });
  for (const name of ['a', 'b']) {
    await test.cheat('localnet_snapshot', name);
    await test.cheat('localnet_setAccount', address, { lamports: 2, data: '' });
    await test.cheat('localnet_setAccount', address, { lamports: 1, data });
  }
  expect(await test.cheatRefusal('localnet_snapshot', 'c')).toMatch(
    /the 2 snapshots hold 18\d\d\d bytes of accounts, the limit is 10000; delete some with localnet_deleteSnapshot/,
  );
  await test.cheat('localnet_deleteSnapshot', 'a');
  await test.cheat('localnet_snapshot', 'c');
});
