import { appendFileSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLedgerFolder } from '../../../src/localnet/disk/open-ledger-folder.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { fundedWallet, landed, memo, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { everything, keptLedger, newAddress, type KeptLedger } from './kept-ledger.ts';

const directory = useNewDirectory();
const files = (pattern: RegExp): readonly string[] =>
  readdirSync(directory()).filter((name) => pattern.test(name));
const newest = (pattern: RegExp): string => {
  const numbered = files(pattern).map((name) => ({ name, number: Number(/\d+/.exec(name)?.[0]) }));
  return join(directory(), numbered.sort((a, b) => b.number - a.number)[0]?.name ?? '');
};

/** Transfers in several slots; what they went to. */
async function live(test: KeptLedger, slots: number): Promise<readonly string[]> {
  const addresses: string[] = [];
  const wallet = await fundedWallet(test, 1000n * SOL);
  addresses.push(wallet.publicKey.toBase58());
  for (let slot = 0; slot < slots; slot++) {
    test.tick();
    const to = newAddress();
    addresses.push(to);
    await test.call('requestAirdrop', to, 1_000_000_000n);
    await sendNow(test, signed(test, [wallet], memo(`slot ${slot}`)));
  }
  test.tick();
  return addresses.slice(-50);
}

test.each([1, 5, 45, 130])('after %i slots and a kill it answers as before, and continues', async (slots) => {
  const first = await keptLedger(directory(), { slotsPerEpoch: 40 });
  const addresses = await live(first, slots);
  const before = await everything(first, addresses);
  await first.call('requestAirdrop', addresses[0] ?? '', 77n);
  await first.kill();
  const second = await keptLedger(directory());
  expect(second.damage).toEqual([]);
  expect(await everything(second, addresses)).toEqual(before);
  const more = await live(second, 3);
  const after = await everything(second, more);
  await second.kill();
  const third = await keptLedger(directory());
  expect(await everything(third, more)).toEqual(after);
  await third.kill();
});

test('programs run on what was kept', async () => {
  const first = await keptLedger(directory());
  const wallet = await fundedWallet(first);
  first.tick();
  await first.kill();
  const second = await keptLedger(directory());
  const to = newAddress();
  second.tick();
  const { PublicKey } = await import('@solana/web3.js');
  const signature = await sendNow(
    second,
    signed(second, [wallet], transfer(wallet, new PublicKey(to), SOL), memo('again')),
  );
  expect(await landed(second, signature)).toMatchObject({ err: null });
  expect((await second.call('getBalance', to, { commitment: 'processed' })).value).toBe(SOL);
  await second.kill();
});

test('old files go: two snapshots of before the finalized slot stay, and the blocks that are kept', async () => {
  const first = await keptLedger(directory(), { historySlots: 512 });
  first.tick(700);
  await first.kill();
  const second = await keptLedger(directory(), { historySlots: 512 });
  expect(files(/^accounts/)).toHaveLength(3);
  expect(files(/^slots/).length).toBeLessThanOrEqual(512 / 20 + 3);
  expect(await second.call('getFirstAvailableBlock')).toBeLessThanOrEqual(732n - 512n + 1n);
  await second.kill();
});

test('a slot that was written in part is left out, and the one before is the newest', async () => {
  const first = await keptLedger(directory());
  first.tick(5);
  const slot = await first.call('getSlot', { commitment: 'confirmed' });
  await first.kill();
  const path = newest(/^slots/);
  truncateSync(path, readFileSync(path).length - 3);
  const second = await keptLedger(directory());
  expect(second.damage).toEqual([`${path} is torn after slot ${slot - 1n}`]);
  expect(await second.call('getSlot', { commitment: 'confirmed' })).toBe(slot - 1n);
  second.tick(3);
  await second.kill();
  const third = await keptLedger(directory());
  expect([third.damage, await third.call('getSlot', { commitment: 'confirmed' })]).toEqual([[], slot + 2n]);
  await third.kill();
});

test('bytes that were changed are noticed', async () => {
  const first = await keptLedger(directory());
  first.tick(5);
  await first.kill();
  const path = newest(/^slots/);
  const content = readFileSync(path);
  content[content.length - 20] = (content[content.length - 20] ?? 0) ^ 1;
  writeFileSync(path, content);
  const second = await keptLedger(directory());
  expect(second.damage).toHaveLength(1);
  await second.kill();
});

test('a torn snapshot is left out: the one before gives the same state', async () => {
  const first = await keptLedger(directory());
  const addresses = await live(first, 60);
  const before = await everything(first, addresses);
  await first.kill();
  truncateSync(newest(/^accounts/), 100);
  const second = await keptLedger(directory());
  expect(await everything(second, addresses)).toEqual(before);
  await second.kill();
});

test('without a whole snapshot the ledger is refused, naming --reset, and nothing is deleted', async () => {
  const first = await keptLedger(directory());
  await first.kill();
  for (const name of files(/^accounts/)) rmSync(join(directory(), name));
  const found = files(/./);
  await expect(keptLedger(directory())).rejects.toThrow(
    /the ledger in .* has no complete state; --reset deletes it/,
  );
  expect(files(/./)).toEqual(found);
});

const open = (reset: boolean) => openLedgerFolder({ directory: directory(), reset, finalitySlots: 31 });

test('a folder of another format is refused, naming --reset, which starts a new ledger', async () => {
  writeFileSync(join(directory(), 'ledger.json'), '{"format":"keyslot localnet 9"}');
  await expect(open(false)).rejects.toThrow(
    `localnet: --ledger: the ledger in ${directory()} has the format "keyslot localnet 9", expected "keyslot localnet 1"; --reset deletes it`,
  );
  expect(files(/ledger/)).toEqual(['ledger.json']);
  const folder = await open(true);
  expect([folder.stored, files(/ledger/)]).toEqual([undefined, []]);
  await folder.release();
});

test('a folder with something else is refused even with --reset, and left alone', async () => {
  writeFileSync(join(directory(), 'thesis.txt'), 'years of work');
  for (const reset of [false, true])
    await expect(open(reset)).rejects.toThrow(
      `${directory()} is not a ledger of this program: it contains thesis.txt`,
    );
  expect(readFileSync(join(directory(), 'thesis.txt'), 'utf8')).toBe('years of work');
});

test('--reset deletes the files of a ledger and no others', async () => {
  const first = await keptLedger(directory());
  await first.kill();
  appendFileSync(join(directory(), 'notes.txt'), 'mine');
  const folder = await open(true);
  await folder.release();
  expect(files(/./)).toEqual(['notes.txt']);
});

test('a folder is of one process at a time', async () => {
  const first = await keptLedger(directory());
  await expect(keptLedger(directory())).rejects.toThrow(`${directory()}`);
  await first.kill();
});

test('votes are kept with their blocks, and continue', async () => {
  const first = await keptLedger(directory(), { votes: true });
  const addresses = [...(await live(first, 3)), first.ledger.genesis.voteAddress];
  first.tick(60);
  const before = await everything(first, addresses);
  await first.kill();
  const second = await keptLedger(directory(), { votes: true });
  expect(await everything(second, addresses)).toEqual(before);
  second.tick(5);
  const slot = await second.call('getSlot', { commitment: 'confirmed' });
  expect((await second.call('getVoteAccounts', { commitment: 'confirmed' })).current).toMatchObject([
    { lastVote: slot - 1n },
  ]);
  await second.kill();
});
