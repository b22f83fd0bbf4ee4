import { rmSync } from 'node:fs';
import { serviceError } from '../../base/service-error.ts';
import { errorKind } from '../genesis-options/option-problem.ts';
import type { Ledger } from '../ledger.ts';
import type { SlotChanges } from '../ledger-follower.ts';
import type { LedgerSnapshot } from '../ledger-snapshot.ts';
import { branchFolder, deleteBranch } from './branch-folders.ts';
import { type BranchState, branchState } from './branch-state.ts';
import { type JournalOptions, LedgerJournal, SEGMENT_LIMITS } from './ledger-journal.ts';
import { writeManifest } from './manifest.ts';
import { snapshotSlots } from './segments.ts';
import { syncDirectory } from './sync-directory.ts';
import { writeBranch } from './write-branch.ts';

/**
 * Keeps a ledger in its folder: each slot in a journal, and a state that it goes back to as a new branch, whose files are those of the ledger once
 * the manifest names it. A process that is killed finds the one or the other.
 */
export class LedgerKeeper {
  readonly #ledger: Ledger;
  readonly #directory: string;
  readonly #options: Omit<JournalOptions, 'directory'>;
  #journal: LedgerJournal;
  #branch: number;
  readonly #failed = Promise.withResolvers<unknown>();
  /** What is done with branches that were left. */
  #left: Promise<void> = Promise.resolve();

  constructor(ledger: Ledger, journal: LedgerJournal, options: JournalOptions) {
    const { directory, ...rest } = options;
    this.#ledger = ledger;
    this.#journal = journal;
    this.#directory = directory;
    this.#options = rest;
    this.#branch = ledger.manifest.branch;
  }

  /** Resolves with the error when a slot could not be written: none is after that. */
  get failed(): Promise<unknown> {
    return this.#failed.promise;
  }

  /** Writes a slot that was just closed. @throws an error of the operating system, with which each later call ends as well. */
  append(closed: SlotChanges): void {
    try {
      this.#journal.append(this.#ledger, closed);
    } catch (error) {
      this.#failed.resolve(error);
      throw error;
    }
  }

  /** Makes a state that of the folder. Call it before the ledger goes there. @throws ServiceError branchNotKept: nothing has changed. */
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
    // They are among the accounts of the branch.
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

  /** Ends the journal; all that was written stays when the machine stops. */
  async close(): Promise<void> {
    await this.#left;
    await this.#journal.close();
  }

  /** The files of the branch that is left go when it is certain that the manifest does not name it any more. */
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
