import { inspect } from 'node:util';
import { writeKeyFiles } from './disk/key-files.ts';
import { branchFolder } from './disk/branch-folders.ts';
import { LedgerJournal } from './disk/ledger-journal.ts';
import { LedgerKeeper } from './disk/ledger-keeper.ts';
import { writeManifest } from './disk/manifest.ts';
import { type LedgerFolder, openLedgerFolder } from './disk/open-ledger-folder.ts';
import type { Fork } from './fork/fork.ts';
import { openFork } from './fork/open-fork.ts';
import { readGenesisOptions } from './genesis-options/genesis-options.ts';
import { optionProblem } from './genesis-options/option-problem.ts';
import { Ledger, type LedgerOptions } from './ledger.ts';
import { openSnapshotDirectory } from './saved/snapshot-directory.ts';
import type { LocalnetOptions } from './localnet-options.ts';

/** A ledger, and how to close it. */
export type KeptLedger = {
  readonly ledger: Ledger;
  /** Resolves with the error when a slot could not be written to the folder; no later slot is. */
  readonly failed: Promise<unknown>;
  /**
   * Closes it once no more calls are made. With a folder, accepted transactions land first, for a second at most, and the open slot is
   * written, even if the clock is paused.
   */
  readonly close: () => Promise<void>;
  /** Releases the folder after a failure; pending transactions are lost. */
  readonly release: () => Promise<void>;
};

/** Bounds of the time that a transaction is pending for a slot: just long enough for a client to subscribe to it. */
const LANDING_DELAY_MS = { least: 50, most: 200 };
/** Time for pending transactions when a ledger is closed; a server that started it as a child kills it after 3 s. */
const LAST_LANDINGS_MS = 1_000;

/**
 * Creates a ledger in memory or in a folder, or continues the one in that folder. With `waitUntil` it waits for a process that has the
 * folder, until that is aborted.
 *
 * @throws ServiceError as readGenesisOptions, openFork, openLedgerFolder and openSnapshotDirectory do; AbortError.
 */
export async function openLedger(options: LocalnetOptions, waitUntil?: AbortSignal): Promise<KeptLedger> {
  const { ledger: directory, reset, finalitySlots } = options;
  openSnapshotDirectory(options.snapshots.directory);
  if (directory === undefined) {
    const fork = await openFork({ given: options.forkOf, stored: undefined, warn });
    const ledger = await beginLedger(options, fork);
    const end = async (): Promise<void> => {
      ledger.incoming.stop();
      await fork?.close();
    };
    return { ledger, failed: new Promise<never>(() => undefined), close: end, release: end };
  }
  const folder = await openLedgerFolder({ directory, reset, finalitySlots, waitUntil });
  try {
    return await keepLedger(folder, options);
  } catch (error) {
    await folder.release();
    throw error;
  }
}

async function keepLedger(folder: LedgerFolder, options: LocalnetOptions): Promise<KeptLedger> {
  const { directory, stored } = folder;
  const journalOptions = {
    directory,
    onFailure: (error: unknown) => warn(`cannot write or delete a file in ${directory}: ${inspect(error)}`),
  };
  const fork = await forkOfFolder(folder, options);
  const ledger =
    stored === undefined
      ? await beginLedger(options, fork)
      : new Ledger({ ...ledgerOptions(options), fork, stored });
  for (const damage of stored?.chain.damage ?? []) warn(damage);
  const ignored = stored === undefined ? [] : ignoredOptions(ledger, options);
  if (ignored.length > 0)
    warn(`ignoring ${ignored.join(', ')}: the ledger already exists; --reset starts a new one`);
  const journal =
    stored === undefined
      ? await beginJournal(ledger, journalOptions)
      : LedgerJournal.resume(stored.chain.open, {
          ...journalOptions,
          directory: branchFolder(directory, stored.manifest.branch),
        });
  const keeper = new LedgerKeeper(ledger, journal, journalOptions);
  ledger.keepBy(keeper);
  const release = async (): Promise<void> => {
    ledger.incoming.stop();
    await folder.release();
  };
  const close = async (): Promise<void> => {
    try {
      await landPending(ledger);
      ledger.tick();
      await keeper.close();
      await fork?.close();
    } finally {
      await release();
    }
  };
  return { ledger, failed: keeper.failed, close, release };
}

async function landPending({ incoming }: Ledger): Promise<void> {
  await incoming.flush(LAST_LANDINGS_MS);
  if (incoming.size > 0)
    warn(`${incoming.size} accepted transactions were lost: there was no time left to execute them`);
}

/** The manifest is written last: a folder without it holds no ledger. */
async function beginJournal(
  ledger: Ledger,
  options: Parameters<typeof LedgerJournal.begin>[1],
): Promise<LedgerJournal> {
  const journal = await LedgerJournal.begin(ledger, options);
  writeKeyFiles(options.directory, ledger.genesis);
  writeManifest(options.directory, ledger.manifest);
  return journal;
}

async function forkOfFolder(
  { directory, stored }: LedgerFolder,
  { forkOf }: LocalnetOptions,
): Promise<Fork | undefined> {
  const origin = stored?.manifest.fork;
  if (stored !== undefined && origin === undefined && (forkOf.url ?? forkOf.cassette) !== undefined)
    throw optionProblem(`--fork: the ledger in ${directory} is not a fork; --reset starts a new ledger`);
  return await openFork({ given: forkOf, stored: origin, warn });
}

async function beginLedger(options: LocalnetOptions, fork: Fork | undefined): Promise<Ledger> {
  const additions = await readGenesisOptions(options.genesis, fork);
  return new Ledger({ ...ledgerOptions(options), additions, fork });
}

function ledgerOptions(options: LocalnetOptions): LedgerOptions {
  const landingDelayMs = Math.max(LANDING_DELAY_MS.least, Math.min(options.slotMs, LANDING_DELAY_MS.most));
  const { slotsPerEpoch, ...rest } = options;
  const epochs = options.given.has('slots-per-epoch') ? { slotsPerEpoch } : {};
  return { ...rest, ...epochs, landingDelayMs, nowMs: Date.now };
}

/** Options without effect on an existing ledger that was created with other values. */
function ignoredOptions({ manifest }: Ledger, options: LocalnetOptions): readonly string[] {
  const { slotsPerEpoch, lamportsPerByte, genesis, warpSlot, consensus, given } = options;
  const hasOther = (name: string, wanted: number, own: number): readonly string[] =>
    wanted === own || !given.has(name) ? [] : [`--${name} ${wanted} (it has ${own})`];
  return [
    ...Object.keys(genesis.lists).map((name) => `--${name}`),
    ...(genesis.mint === undefined ? [] : ['--mint']),
    ...(genesis.faucetSol === undefined ? [] : ['--faucet-sol']),
    ...(warpSlot === undefined ? [] : ['--warp-slot']),
    ...(consensus === undefined || consensus === manifest.consensus
      ? []
      : [`--consensus ${consensus} (it has ${manifest.consensus})`]),
    ...hasOther('slots-per-epoch', slotsPerEpoch, manifest.slotsPerEpoch),
    ...hasOther('lamports-per-byte', lamportsPerByte, manifest.lamportsPerByte),
  ];
}

function warn(text: string): void {
  process.stderr.write(`localnet: ${text}\n`);
}
