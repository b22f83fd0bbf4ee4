import { Keypair } from '@solana/web3.js';
import { branchFolder } from '../../../src/localnet/disk/branch-folders.ts';
import { LedgerKeeper } from '../../../src/localnet/disk/ledger-keeper.ts';
import { LedgerJournal, type SegmentLimits } from '../../../src/localnet/disk/ledger-journal.ts';
import { writeManifest } from '../../../src/localnet/disk/manifest.ts';
import { openLedgerFolder } from '../../../src/localnet/disk/open-ledger-folder.ts';
import type { LedgerOptions } from '../../../src/localnet/ledger.ts';
import { newLedger, type TestLedger } from '../new-ledger.ts';

export type KeptLedger = TestLedger & {
  /** Ends as a process that is killed: the open slot is lost. */
  readonly kill: () => Promise<void>;
  readonly damage: readonly string[];
};

const FINALITY_SLOTS = 31;
const LIMITS: SegmentLimits = { slots: 20, bytes: 1024 * 1024 };

/** A ledger in a folder, with segments so short that several arise: the one that is there, or a new one. */
export async function keptLedger(
  directory: string,
  options: Partial<LedgerOptions> = {},
): Promise<KeptLedger> {
  const { finalitySlots = FINALITY_SLOTS } = options;
  const folder = await openLedgerFolder({ directory, reset: false, finalitySlots });
  const failures: unknown[] = [];
  const journalOptions = { directory, limits: LIMITS, onFailure: (error: unknown) => failures.push(error) };
  const { stored } = folder;
  const test = newLedger({ ...options, stored });
  const journal =
    stored === undefined
      ? await LedgerJournal.begin(test.ledger, journalOptions)
      : LedgerJournal.resume(stored.chain.open, {
          ...journalOptions,
          directory: branchFolder(directory, stored.manifest.branch),
        });
  if (stored === undefined) writeManifest(directory, test.ledger.manifest);
  const keeper = new LedgerKeeper(test.ledger, journal, journalOptions);
  test.ledger.keepBy(keeper);
  const kill = async (): Promise<void> => {
    await keeper.close();
    await folder.release();
    if (failures.length > 0) throw failures[0];
  };
  return { ...test, kill, damage: stored?.chain.damage ?? [] };
}

export const newAddress = (): string => Keypair.generate().publicKey.toBase58();

/** Everything that a client can read of a ledger up to its newest closed slot, as texts. */
export async function everything(
  { call, ledger }: TestLedger,
  addresses: readonly string[],
): Promise<readonly string[]> {
  const parts: unknown[] = [await call('getGenesisHash'), await call('getEpochSchedule')];
  for (const commitment of ['confirmed', 'finalized'] as const) {
    const slot = ledger.slotAt(commitment);
    parts.push(
      await call('getSlot', { commitment }),
      await call('getEpochInfo', { commitment }),
      await call('getLatestBlockhash', { commitment }),
      await call('getMultipleAccounts', addresses, { commitment, encoding: 'base64' }),
      await call('getVoteAccounts', { commitment }),
      await call('getSupply', { commitment }),
      [...ledger.accounts.all(slot)].map(({ address, account }) => [address, account.lamports]).sort(),
      ...(await Promise.all(
        addresses.map((address) => call('getSignaturesForAddress', address, { commitment })),
      )),
    );
    for (let block = slot > 100n ? slot - 100n : 1n; block <= slot; block++)
      if (block >= ledger.blocks.firstAvailable)
        parts.push(
          await call('getBlock', block, {
            commitment,
            encoding: 'base64',
            maxSupportedTransactionVersion: 1,
          }),
        );
  }
  return parts.map((part) =>
    JSON.stringify(part, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
}
