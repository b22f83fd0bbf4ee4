import { rmSync, closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { serviceError } from '../../core/service-error.ts';
import { errorKind } from '../genesis-options/option-problem.ts';
import type { Ledger } from '../ledger.ts';
import type { SlotChanges } from '../ledger-follower.ts';
import type { LedgerSnapshot } from '../ledger-state.ts';
import { branchFolder, deleteBranch } from './branch-folders.ts';
import {
  type JournalOptions,
  LedgerJournal,
  SEGMENT_LIMITS,
  type SegmentLimits,
  writeAll,
} from './ledger-journal.ts';
import { writeManifest } from './manifest.ts';
import {
  snapshotSlots,
  segmentPath,
  snapshotParts,
  snapshotPath,
  slotBytes,
  type SlotRecord,
} from './segments.ts';
import { baseBytes, type ChainBase } from './chain-base.ts';
import { frame } from './frames.ts';
import type { SavedAccounts } from '../accounts/saved-accounts.ts';
import { type BlockState, heightOf, tipOf } from '../blocks/block-state.ts';
import type { EpochSchedule } from '../epoch/epoch.ts';
import type { AccountChange } from './account-bytes.ts';

/**
 * Keeps a ledger in its folder: each slot in a journal. A restored state becomes a new branch, whose files are those of the ledger once the
 * manifest names it; a killed process finds one or the other.
 */
export class LedgerKeeper {
  readonly #ledger: Ledger;
  readonly #directory: string;
  readonly #options: Omit<JournalOptions, 'directory'>;
  #journal: LedgerJournal;
  #branch: number;
  readonly #failed = Promise.withResolvers<unknown>();
  /** Pending work on abandoned branches. */
  #left: Promise<void> = Promise.resolve();

  constructor(ledger: Ledger, journal: LedgerJournal, options: JournalOptions) {
    const { directory, ...rest } = options;
    this.#ledger = ledger;
    this.#journal = journal;
    this.#directory = directory;
    this.#options = rest;
    this.#branch = ledger.manifest.branch;
  }

  /** Resolves with the error when a slot could not be written; no later slot is. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** Writes a slot that was just closed. @throws an error of the operating system, which each later call throws as well. */
  append(closed: SlotChanges): void {
    try {
      this.#journal.append(this.#ledger, closed);
    } catch (error) {
      this.#failed.resolve(error);
      throw error;
    }
  }

  /** Makes a state that of the folder, before the ledger goes to it. @throws ServiceError branchNotKept: nothing has changed. */
  branch(snapshot: LedgerSnapshot): void {
    const [ledger, directory, branch] = [this.#ledger, this.#directory, this.#branch + 1];
    const { limits = SEGMENT_LIMITS } = this.#options;
    const folder = branchFolder(directory, branch);
    const { hash: genesisHash, time: genesisTime } = snapshot.genesis;
    let journal: LedgerJournal | undefined;
    try {
      this.#journal.assertWhole();
      const open = writeBranch(folder, this.#stateOf(snapshot), limits);
      journal = LedgerJournal.resume(open, { ...this.#options, directory: folder });
      syncDirectory(directory);
      writeManifest(directory, { ...ledger.manifest, genesisHash, genesisTime, branch });
    } catch (error) {
      void journal?.leave();
      rmSync(folder, { recursive: true, force: true });
      throw serviceError('branchNotKept', { reason: errorKind(error) }, error);
    }
    this.#leave();
    this.#journal = journal;
    this.#branch = branch;
    // They are already among the accounts of the branch.
    ledger.fork?.addresses.takeAdopted();
  }

  /** Returns the slots of which the folder has snapshots, newest first. @throws an error of the operating system. */
  snapshotSlots(): readonly bigint[] {
    return snapshotSlots(branchFolder(this.#directory, this.#branch));
  }

  #stateOf({ accounts, blocks, epochTimes }: LedgerSnapshot): BranchState {
    const { epochs, finalitySlots } = this.#ledger;
    const saved = this.#ledger.accounts.save(accounts);
    return branchState({ accounts: saved, blocks, epochTimes, epochs, finalitySlots });
  }

  /** Ends the journal; everything written survives a power loss. */
  async close(): Promise<void> {
    await this.#left;
    await this.#journal.close();
  }

  /** Deletes the files of the abandoned branch once the manifest certainly names another one. */
  #leave(): void {
    const branch = this.#branch;
    this.#left = Promise.all([this.#left, this.#journal.leave()])
      .then(() => {
        syncDirectory(this.#directory);
        deleteBranch(this.#directory, branch);
      })
      .catch(this.#options.onFailure);
  }
}

/** The segment that is being written. */
type OpenSegment = { readonly base: bigint; readonly bytes: number };

/**
 * Writes the files of a state into a new folder, and returns when they survive a power loss. One segment ends with the newest finalized
 * slot, of which there is a snapshot; the next one begins there, even if no slot follows.
 *
 * @throws an error of the operating system.
 */
function writeBranch(folder: string, state: BranchState, limits: SegmentLimits): OpenSegment {
  const { heights, baseAt, recordAt, finalizedAccounts } = state;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeWhole(snapshotPath(folder, baseAt(heights.finalized).slot), snapshotParts(finalizedAccounts));
  let open: OpenSegment = { base: 0n, bytes: 0 };
  for (let height = heights.base, next = height; ; height = next) {
    const last = height < heights.finalized ? heights.finalized : heights.tip;
    const base = baseAt(height);
    let bytes = 0;
    const frames = function* (): Generator<Buffer> {
      yield frame(baseBytes(base));
      for (; next < last && Number(next - height) < limits.slots && bytes < limits.bytes; next++) {
        const record = frame(slotBytes(recordAt(next + 1n)));
        bytes += record.length;
        yield record;
      }
    };
    writeWhole(segmentPath(folder, base.slot), frames());
    open = { base: base.slot, bytes };
    if (next === heights.tip && height >= heights.finalized) break;
  }
  syncDirectory(folder);
  return open;
}

const BUFFER_BYTES = 1024 * 1024;

function writeWhole(path: string, parts: Iterable<Buffer>): void {
  const file = openSync(path, 'w', 0o600);
  try {
    let waiting: Buffer[] = [];
    let bytes = 0;
    const flush = (): void => {
      if (bytes > 0) writeAll(file, Buffer.concat(waiting));
      waiting = [];
      bytes = 0;
    };
    for (const part of parts) {
      waiting.push(part);
      bytes += part.length;
      if (bytes >= BUFFER_BYTES) flush();
    }
    flush();
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Returns when the names in a directory survive a power loss. @throws an error of the operating system. */
function syncDirectory(directory: string): void {
  const file = openSync(directory, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A state of a ledger, and the parts of its files. */
type BranchSource = {
  readonly blocks: BlockState;
  readonly accounts: SavedAccounts;
  readonly epochTimes: ReadonlyMap<bigint, bigint>;
  readonly epochs: EpochSchedule;
  readonly finalitySlots: bigint;
};

/** A state as it is written: accounts at the end of the newest finalized slot, all blocks, and the changes of the slots after that one. */
type BranchState = {
  /** Heights of the block before the first kept one, of the newest finalized one, and of the newest. */
  readonly heights: { readonly base: bigint; readonly finalized: bigint; readonly tip: bigint };
  readonly baseAt: (height: bigint) => ChainBase;
  readonly recordAt: (height: bigint) => SlotRecord;
  readonly finalizedAccounts: readonly AccountChange[];
};

/** Splits a state into the parts of its files. The open slot is not included. */
function branchState({ blocks, accounts, epochTimes, epochs, finalitySlots }: BranchSource): BranchState {
  const { ring, skipped, first, firstOfChain } = blocks;
  const [oldest, tip] = [heightOf(blocks, first), tipOf(blocks)];
  const base = first === firstOfChain ? oldest : oldest - 1n;
  const finalized = tip - finalitySlots > base ? tip - finalitySlots : base;
  const changes = accounts.changes.toSorted((a, b) => Number(a.slot - b.slot));
  const byAddress = Map.groupBy(changes, ({ address }) => address);
  const current = new Map(accounts.current.map(({ address, account }) => [address, account]));
  const atEndOf = (slot: bigint, address: string): AccountChange => {
    const next = byAddress.get(address)?.find((change) => change.slot > slot);
    return { address, account: next === undefined ? current.get(address) : next.account };
  };
  const bySlot = Map.groupBy(changes, ({ slot }) => slot);
  const blockAt = (height: bigint) => ({
    slot: skipped.slotAt(height),
    blockhash: ring.blockhashBytes(height),
    time: ring.time(height),
    transactionCount: ring.transactionCount(height),
  });
  const lastFinalized = skipped.slotAt(finalized);
  return {
    heights: { base, finalized, tip },
    baseAt: (height) => {
      const block = blockAt(height);
      return { ...block, epochStart: epochTimes.get(epochs.epochOf(block.slot)) ?? 0n };
    },
    recordAt: (height) => {
      const block = blockAt(height);
      const written = bySlot.get(block.slot) ?? [];
      return {
        ...block,
        transactions: ring.transactions(height),
        rewards: ring.rewards(height),
        accounts: written.map(({ address }) => atEndOf(block.slot, address)),
      };
    },
    finalizedAccounts: Array.from(new Set([...current.keys(), ...byAddress.keys()]), (address) =>
      atEndOf(lastFinalized, address),
    ),
  };
}
