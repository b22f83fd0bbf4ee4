import { isDeepStrictEqual } from 'node:util';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import type { HistoryLimits } from './blocks/history-parts.ts';
import type { ChainBase } from './disk/chain-base.ts';
import type { Manifest } from './disk/manifest.ts';
import { type EpochLengths, equalEpochs } from './epoch/epoch-lengths.ts';
import { createGenesis, type Genesis } from './genesis/genesis.ts';
import type { LedgerOptions } from './ledger-options.ts';

/** What a ledger starts from. */
export type LedgerStart = {
  readonly genesis: Genesis;
  readonly manifest: Manifest;
  /** The block on which its blocks are built. */
  readonly base: ChainBase & { readonly isPurged: boolean };
};

/** Number of slots that are empty at the start: every commitment has its slot then. */
export function emptySlotsOf(finalitySlots: bigint): bigint {
  return finalitySlots + 1n;
}

/** Returns what a ledger starts from: a new genesis so many slots ago, or a ledger on disk, whose own parameters win. */
export function ledgerStart(options: LedgerOptions, nowMs: number): LedgerStart {
  const { stored, slotMs = CONFIG_INTEGERS['localnet.slot_ms'].default, fork } = options;
  if (stored !== undefined) {
    const { manifest, chain } = stored;
    const { genesisHash: hash, genesisTime: time, faucetLamports } = manifest;
    const isPurged = Buffer.compare(chain.first.blockhash, hash) !== 0;
    const genesis = { ...createGenesis(0, faucetLamports), hash, time };
    return { genesis, manifest, base: { ...chain.first, isPurged } };
  }
  const emptySlots = emptySlotsOf(BigInt(finalitySlotsOf(options)));
  // Nothing that is known of a fork is from a later slot than the first one.
  const warpSlot = options.warpSlot ?? (fork === undefined ? 0n : fork.origin.slot + 1n + emptySlots);
  const slot = warpSlot > emptySlots ? warpSlot - emptySlots : 0n;
  const genesis = createGenesis(nowMs - Number(emptySlots) * slotMs, options.additions?.faucetLamports);
  const { hash, time, faucetLamports } = genesis;
  const epochs = epochsOf(options);
  return {
    genesis,
    manifest: {
      ...{ genesisHash: hash, genesisTime: time, faucetLamports, features: options.features },
      ...{ fork: fork?.origin, branch: 0 },
      slotsPerEpoch: Number(epochs.slotsPerEpoch),
      ...(isDeepStrictEqual(epochs, equalEpochs(epochs.slotsPerEpoch)) ? {} : { epochs }),
      lamportsPerByte: options.lamportsPerByte ?? CONFIG_INTEGERS['localnet.lamports_per_byte'].default,
    },
    base: { ...{ slot, blockhash: hash, time, epochStart: time, transactionCount: 0 }, isPurged: false },
  };
}

/** Those that are asked for, else those of a fork's node. */
function epochsOf({ slotsPerEpoch, fork }: LedgerOptions): EpochLengths {
  if (slotsPerEpoch === undefined && fork?.origin.epochs !== undefined) return fork.origin.epochs;
  return equalEpochs(BigInt(slotsPerEpoch ?? CONFIG_INTEGERS['localnet.slots_per_epoch'].default));
}

/** Returns the number of slots between a block's confirmation and its finalization. */
export function finalitySlotsOf({ finalitySlots }: LedgerOptions): number {
  return finalitySlots ?? CONFIG_INTEGERS['localnet.finality_slots'].default;
}

/** Returns how much of the history is kept. */
export function historyLimitsOf({ historySlots, historyTransactions }: LedgerOptions): HistoryLimits {
  return {
    slots: historySlots ?? CONFIG_INTEGERS['localnet.history_slots'].default,
    transactions: historyTransactions ?? CONFIG_INTEGERS['localnet.history_transactions'].default,
  };
}
