import type { StoredLedger } from './disk/open-ledger-folder.ts';
import type { Fork } from './fork/fork.ts';
import type { SnapshotSettings } from './ledger-snapshot.ts';
import type { FeatureChanges, GenesisAdditions } from './genesis/genesis-additions.ts';

/** Defaults are those of spec/config.yaml. */
export type LedgerOptions = {
  /** The clock: milliseconds since 1970. */
  readonly nowMs: () => number;
  readonly slotMs?: number;
  /** Number of slots between a block's confirmation and its finalization. */
  readonly finalitySlots?: number;
  /** Lamports per byte for rent exemption. */
  readonly lamportsPerByte?: number;
  /** Time before a transaction lands; absent: it lands at once. */
  readonly landingDelayMs?: number;
  /** Number of blocks kept. */
  readonly historySlots?: number;
  /** Number of transactions kept: the oldest blocks are dropped when there are more. */
  readonly historyTransactions?: number;
  readonly slotsPerEpoch?: number;
  /** The validator votes for every slot by a transaction in the next one. */
  readonly votes?: boolean;
  /** The slot that is open at the start, if the chain would not have come that far. */
  readonly warpSlot?: bigint | undefined;
  readonly additions?: GenesisAdditions | undefined;
  readonly features?: FeatureChanges | undefined;
  /** Compute units of every transaction, whatever it requests. */
  readonly computeUnitLimit?: bigint | undefined;
  /** The cheat codes are served. */
  readonly cheatCodes?: boolean;
  readonly snapshots?: SnapshotSettings | undefined;
  /** Where accounts come from that are touched for the first time. It belongs to this ledger alone. */
  readonly fork?: Fork | undefined;
  /** A ledger on disk that goes on. What it was begun with wins over these options. */
  readonly stored?: StoredLedger | undefined;
};
