import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callMethod } from '../../../src/localnet/call-method.ts';
import type { LedgerOptions } from '../../../src/localnet/ledger.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { fundedWallet, memo, sendNow, signed, SOL } from '../transactions.ts';
import { everything, type KeptLedger, keptLedger, newAddress } from './kept-ledger.ts';

const directory = useNewDirectory();
const folder = (): string => join(directory(), 'ledger');
/** An epoch begins with slot 64, and with it a payment of rewards. */
const OPTIONS = { cheatCodes: true, slotsPerEpoch: 32 } as const;

const open = (options: Partial<LedgerOptions> = {}): Promise<KeptLedger> => {
  mkdirSync(folder(), { recursive: true });
  return keptLedger(folder(), { ...OPTIONS, ...options });
};
const cheat = ({ ledger }: KeptLedger, method: string, ...params: readonly unknown[]): Promise<unknown> =>
  callMethod(ledger, method, params);
/** Files of slots and accounts, and folders of branches. */
const chainFiles = (): readonly string[] =>
  readdirSync(folder()).filter((name) => /^(slots|accounts|branch)-/.test(name));

async function live(test: KeptLedger, slots: number): Promise<string> {
  const wallet = await fundedWallet(test, 10n * SOL);
  for (let slot = 0; slot < slots; slot++) {
    test.tick();
    await sendNow(test, signed(test, [wallet], memo(`slot ${slot}`)));
  }
  test.tick();
  return wallet.publicKey.toBase58();
}

test('a ledger that went back is found there after a kill, and continues from there', async () => {
  const first = await open();
  const wallets = [await live(first, 32)];
  await cheat(first, 'localnet_snapshot', 'paying');
  const paying = await everything(first, wallets);
  const left = first.ledger.blocks.openSlot;
  wallets.push(await live(first, 40));
  await cheat(first, 'localnet_snapshot', 'other');
  const other = await everything(first, wallets);
  await cheat(first, 'localnet_restore', 'paying');
  expect(await everything(first, wallets.slice(0, 1))).toEqual(paying);
  await first.kill();
  expect(chainFiles()).toEqual(['branch-1']);
  const second = await open();
  expect(second.damage).toEqual([]);
  expect(await everything(second, wallets.slice(0, 1))).toEqual(paying);
  second.tick(40);
  // Both blocks are empty but for what their branch makes of them.
  expect(other.join()).not.toContain(second.ledger.blocks.blockhash(left));
  const after = await everything(second, wallets);
  await second.kill();
  const third = await open();
  expect(await everything(third, wallets)).toEqual(after);
  await third.kill();
});

test.each([0, 1])(
  'where %i slots are between confirmed and finalized it goes back as well',
  async (finalitySlots) => {
    const first = await open({ finalitySlots });
    const wallet = await live(first, 3);
    await cheat(first, 'localnet_snapshot', 'a');
    const gone = await everything(first, [wallet]);
    first.tick(3);
    await cheat(first, 'localnet_restore', 'a');
    await first.kill();
    const second = await open({ finalitySlots });
    expect(second.damage).toEqual([]);
    expect(await everything(second, [wallet])).toEqual(gone);
    second.tick(30);
    const after = await everything(second, [wallet]);
    await second.kill();
    const third = await open({ finalitySlots });
    expect(await everything(third, [wallet])).toEqual(after);
    await third.kill();
  },
);

test('it goes to a branch that it left, and again, each time with all of its files', async () => {
  const first = await open();
  const wallet = await live(first, 5);
  await cheat(first, 'localnet_snapshot', 'a');
  first.tick(60);
  await cheat(first, 'localnet_snapshot', 'b');
  const b = await everything(first, [wallet]);
  await cheat(first, 'localnet_restore', 'a');
  await live(first, 3);
  await cheat(first, 'localnet_restore', 'b');
  expect(await everything(first, [wallet])).toEqual(b);
  first.tick(3);
  const after = await everything(first, [wallet]);
  await first.kill();
  expect(chainFiles()).toEqual(['branch-2']);
  const second = await open();
  expect(await everything(second, [wallet])).toEqual(after);
  await second.kill();
});

test('what was written in the open slot is there until a kill', async () => {
  const first = await open();
  const address = newAddress();
  await first.call('requestAirdrop', address, SOL);
  await cheat(first, 'localnet_snapshot', 'a');
  first.tick();
  await cheat(first, 'localnet_restore', 'a');
  first.tick();
  const balance = async ({ call }: KeptLedger) =>
    (await call('getBalance', address, { commitment: 'confirmed' })).value;
  expect(await balance(first)).toBe(SOL);
  await first.kill();
  const second = await open();
  expect(await balance(second)).toBe(SOL);
  await second.kill();
});

test('a snapshot of a branch that was not finished goes at the next start', async () => {
  const first = await open();
  await cheat(first, 'localnet_snapshot', 'a');
  await cheat(first, 'localnet_restore', 'a');
  await first.kill();
  const branch = join(folder(), 'branch-1');
  writeFileSync(join(branch, 'accounts-99.bin.tmp'), 'torn');
  const second = await open();
  expect(readdirSync(branch).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  await second.kill();
});

test.each(['before the manifest names it', 'before the files that it left are deleted'])(
  'killed %s, it has the one state or the other',
  async (moment) => {
    const first = await open();
    const wallet = await live(first, 3);
    await cheat(first, 'localnet_snapshot', 'a');
    const gone = await everything(first, [wallet]);
    first.tick(40);
    const stayed = await everything(first, [wallet]);
    const copy = join(directory(), 'copy');
    cpSync(folder(), copy, { recursive: true });
    await cheat(first, 'localnet_restore', 'a');
    await first.kill();
    const isNamed = moment !== 'before the manifest names it';
    for (const name of readdirSync(copy).filter((each) => !each.startsWith('lock')))
      if (!isNamed || name !== 'ledger.json') cpSync(join(copy, name), join(folder(), name));
    if (isNamed) mkdirSync(join(folder(), 'branch-7'));
    else writeFileSync(join(folder(), 'branch-1', 'slots-0.log'), 'torn');
    const second = await open();
    expect(await everything(second, [wallet])).toEqual(isNamed ? gone : stayed);
    expect(chainFiles().some((name) => name === 'branch-1')).toBe(isNamed);
    expect(chainFiles().some((name) => name.startsWith('slots'))).toBe(!isNamed);
    second.tick();
    await second.kill();
  },
);

test('where the files cannot be written nothing has changed, and the folder says so', async () => {
  const first = await open();
  const wallet = await live(first, 3);
  await cheat(first, 'localnet_snapshot', 'a');
  first.tick(10);
  const before = await everything(first, [wallet]);
  const manifest = readFileSync(join(folder(), 'ledger.json'), 'utf8');
  writeFileSync(join(folder(), 'branch-1'), 'in the way');
  await expect(cheat(first, 'localnet_restore', 'a')).rejects.toThrow(
    'Invalid request: the state cannot be written to the folder of the ledger: EEXIST',
  );
  expect(await everything(first, [wallet])).toEqual(before);
  expect(readFileSync(join(folder(), 'ledger.json'), 'utf8')).toBe(manifest);
  first.tick();
  await cheat(first, 'localnet_restore', 'a');
  await first.kill();
});

test('a snapshot of another ledger, read from a file, is its history from then on', async () => {
  const snapshots = { directory: join(directory(), 'snapshots') };
  const first = await open({ snapshots });
  const wallet = await live(first, 3);
  await cheat(first, 'localnet_snapshot', 'a');
  await cheat(first, 'localnet_saveSnapshot', 'a');
  const before = await everything(first, [wallet]);
  await first.kill();
  const otherFolder = join(directory(), 'other');
  mkdirSync(otherFolder);
  const other = await keptLedger(otherFolder, { ...OPTIONS, snapshots, nowMs: () => 1_770_000_000_000 });
  const [own] = await everything(other, []);
  expect(own).not.toBe(before[0]);
  await cheat(other, 'localnet_loadSnapshot', 'a');
  await cheat(other, 'localnet_restore', 'a');
  await other.kill();
  const again = await keptLedger(otherFolder, OPTIONS);
  expect(await everything(again, [wallet])).toEqual(before);
  await again.kill();
});
