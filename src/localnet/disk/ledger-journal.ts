import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, rmSync, writeSync } from 'node:fs';
import type { Ledger } from '../ledger.ts';
import type { SlotChanges } from '../ledger-follower.ts';
import type { AccountStore } from '../accounts/account-store.ts';
import type { AccountChange } from './account-bytes.ts';
import { baseBytes, type ChainBase } from './chain-base.ts';
import { frame } from './frames.ts';
import {
  deleteSnapshot,
  segmentBases,
  segmentPath,
  snapshotSlots,
  writeSnapshot,
  slotBytes,
} from './segments.ts';

/** A segment is full after this many slots or bytes, whichever comes first. */
export type SegmentLimits = { readonly slots: number; readonly bytes: number };

export const SEGMENT_LIMITS: SegmentLimits = { slots: 16_384, bytes: 64 * 1024 * 1024 };

/** Number of snapshots kept from before the newest finalized slot: if one is torn, the other gives the same state. */
const KEPT_SNAPSHOTS = 2;

/**
 * Writes each slot of a ledger to its folder when it is closed, before anyone is notified of it, and from time to time a snapshot of all
 * accounts. A killed process loses only the open slot.
 */
export class LedgerJournal {
  readonly #directory: string;
  readonly #limits: SegmentLimits;
  readonly #onFailure: (error: unknown) => void;
  #file: number;
  #slots = 0;
  #bytes: number;
  #snapshot: Promise<void> = Promise.resolve();
  /** The reason why no more slots are written. */
  #failure: { readonly error: unknown } | undefined;

  private constructor(options: JournalOptions, file: number, bytes: number) {
    this.#directory = options.directory;
    this.#limits = options.limits ?? SEGMENT_LIMITS;
    this.#onFailure = options.onFailure;
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Begins the journal of a new ledger: its accounts without the changes of the open slot, and the slots that it has closed. */
  static async begin(ledger: Ledger, options: JournalOptions): Promise<LedgerJournal> {
    const { directory } = options;
    const { blocks, accounts } = ledger;
    const genesisSlot = blocks.firstAvailable;
    await writeSnapshot(directory, genesisSlot, [
      ...accounts.storedAt(ledger.slotAt('confirmed')),
      ...absentOf(accounts),
    ]);
    const journal = new LedgerJournal(options, beginSegment(directory, ledger.baseAt(genesisSlot)), 0);
    for (let slot = genesisSlot + 1n; slot < blocks.openSlot; slot++)
      journal.append(ledger, { slot, written: [] });
    return journal;
  }

  /** Continues a journal whose open segment has this base and length. */
  static resume(
    open: { readonly base: bigint; readonly bytes: number },
    options: JournalOptions,
  ): LedgerJournal {
    return new LedgerJournal(options, openSync(segmentPath(options.directory, open.base), 'a'), open.bytes);
  }

  /**
   * Writes a slot that was just closed, before anything is written in the next one.
   *
   * @throws an error of the operating system, which every later call throws as well.
   */
  append(ledger: Ledger, changes: SlotChanges): void {
    this.assertWhole();
    try {
      this.#append(ledger, changes);
    } catch (error) {
      this.#failure = { error };
      throw error;
    }
  }

  /** @throws the error that kept a slot from being written. */
  assertWhole(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  #append(ledger: Ledger, { slot, written: addresses }: SlotChanges): void {
    const { blocks, accounts } = ledger;
    const adopted = Array.from(
      ledger.fork?.addresses.takeAdopted() ?? [],
      ([address, account]): AccountChange => ({ address, account, isAdopted: true }),
    );
    const written = addresses.map((address) => ({ address, account: accounts.current(address) }));
    const bytes = frame(
      slotBytes({
        slot,
        time: blocks.time(slot),
        blockhash: blocks.blockhashBytes(slot),
        transactions: blocks.transactions(slot),
        rewards: blocks.rewards(slot),
        accounts: [...adopted, ...written],
        transactionCount: blocks.transactionCount(slot),
      }),
    );
    this.#write(bytes);
    this.#slots += 1;
    this.#bytes += bytes.length;
    if (this.#slots >= this.#limits.slots || this.#bytes >= this.#limits.bytes) this.#roll(ledger, slot);
  }

  /** Cuts off a partial write, which would hide what follows it. */
  #write(bytes: Buffer): void {
    const { size } = fstatSync(this.#file);
    try {
      writeAll(this.#file, bytes);
    } catch (error) {
      ftruncateSync(this.#file, size);
      throw error;
    }
  }

  /** Ends the journal of an abandoned branch; waits for a snapshot under way. */
  async leave(): Promise<void> {
    closeSync(this.#file);
    await this.#snapshot;
  }

  /** Ends the journal; everything written survives a power loss. */
  async close(): Promise<void> {
    await this.#snapshot;
    fdatasyncSync(this.#file);
    closeSync(this.#file);
  }

  /** Continues in a new segment and writes its snapshot meanwhile; deletes files that are no longer needed. */
  #roll(ledger: Ledger, slot: bigint): void {
    const next = beginSegment(this.#directory, ledger.baseAt(slot));
    closeSync(this.#file);
    this.#file = next;
    this.#slots = 0;
    this.#bytes = 0;
    const accounts = stateOf(ledger.accounts);
    this.#snapshot = this.#snapshot
      .then(() => writeSnapshot(this.#directory, slot, accounts))
      .then(() => this.#prune(ledger.slotAt('finalized'), ledger.blocks.firstAvailable))
      .catch(this.#onFailure);
  }

  #prune(finalized: bigint, firstKept: bigint): void {
    const old = snapshotSlots(this.#directory).filter((slot) => slot <= finalized);
    for (const slot of old.slice(KEPT_SNAPSHOTS)) deleteSnapshot(this.#directory, slot);
    const bases = segmentBases(this.#directory);
    const oldestState = snapshotSlots(this.#directory).at(-1) ?? 0n;
    for (const [index, base] of bases.entries()) {
      const next = bases[index + 1];
      if (next !== undefined && next < firstKept && next <= oldestState)
        rmSync(segmentPath(this.#directory, base));
    }
  }
}

export type JournalOptions = {
  readonly directory: string;
  readonly limits?: SegmentLimits;
  /** Called when a snapshot cannot be written; slots are still written. */
  readonly onFailure: (error: unknown) => void;
};

/** All accounts, including those of a fork that are known not to exist. */
function stateOf(accounts: AccountStore): readonly AccountChange[] {
  return [...accounts.stored(), ...absentOf(accounts)];
}

function absentOf(accounts: AccountStore): readonly AccountChange[] {
  return accounts.absent().map((address) => ({ address, account: undefined }));
}

function beginSegment(directory: string, base: ChainBase): number {
  const path = segmentPath(directory, base.slot);
  const file = openSync(path, 'w', 0o600);
  try {
    writeAll(file, frame(baseBytes(base)));
  } catch (error) {
    closeSync(file);
    rmSync(path, { force: true });
    throw error;
  }
  return file;
}

/** Appends all bytes to an open file, in several writes if the system takes only a part. @throws an error of the operating system. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
}
