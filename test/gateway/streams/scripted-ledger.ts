import type { Block } from '../../../src/gateway/streams/block/block.ts';
import { type LedgerNode, NodeRefusal } from '../../../src/gateway/streams/ledger-node.ts';
import { serviceError } from '../../../src/core/service-error.ts';

/** A ledger in memory that a test grows, and spoils. */
export type ScriptedLedger = LedgerNode & {
  /** Adds blocks with these slots on top of the newest one. */
  readonly grow: (...slots: readonly number[]) => void;
  /** Slots that the newest finalized one is behind the newest one. */
  finalityLag: number;
  /** Every call fails as if no node could be reached. */
  isLost: boolean;
  /** Slots that lists leave out, though their blocks are there. */
  readonly leftOut: Set<number>;
  /** Forgets the blocks below a slot. */
  readonly purgeBelow: (slot: number) => void;
  /** Forgets everything; another ledger begins at a slot. */
  readonly beginAnew: (slot: number, genesis: string) => void;
  /** Forgets everything, and continues with another block at a slot, on the same genesis. */
  readonly takeFork: (slot: number) => void;
  readonly calls: () => number;
  readonly slots: () => readonly number[];
};

export type LedgerContent = (slot: bigint) => Partial<Pick<Block, 'transactions' | 'sizeBytes'>>;

/** A ledger whose first block has the slot `first`. */
export function createScriptedLedger(first: number, contentOf: LedgerContent = () => ({})): ScriptedLedger {
  let blocks = new Map<number, Block>();
  let genesis = 'genesis';
  let fork = '';
  let firstAvailable = first;
  let calls = 0;
  const answer = async <T>(make: () => T): Promise<T> => {
    calls++;
    await Promise.resolve();
    if (ledger.isLost) throw serviceError('upstreamUnavailable');
    return make();
  };
  const newest = (): number => Math.max(...blocks.keys());
  const add = (slot: number): void => {
    const parent = blocks.size === 0 ? slot - 1 : newest();
    const block: Block = {
      slot: BigInt(slot),
      parentSlot: BigInt(parent),
      rootSlot: BigInt(Math.max(0, slot - ledger.finalityLag)),
      blockhash: `${genesis}${fork} ${slot}`,
      previousBlockhash: `${genesis}${fork} ${parent}`,
      blockTime: BigInt(1_700_000_000 + slot),
      blockHeight: BigInt(slot),
      transactions: () => [],
      rewards: () => [],
      sizeBytes: 1_000,
      ...contentOf(BigInt(slot)),
    };
    blocks.set(slot, block);
  };
  const ledger: ScriptedLedger = {
    grow: (...slots) => slots.forEach(add),
    isLost: false,
    finalityLag: 32,
    leftOut: new Set(),
    purgeBelow: (slot) => {
      firstAvailable = slot;
      for (const each of [...blocks.keys()]) if (each < slot) blocks.delete(each);
    },
    beginAnew: (slot, name) => {
      blocks = new Map();
      genesis = name;
      firstAvailable = slot;
      add(slot);
    },
    takeFork: (slot) => {
      blocks = new Map();
      fork = ' fork';
      add(slot);
    },
    calls: () => calls,
    slots: () => [...blocks.keys()],
    confirmedSlot: () => answer(() => BigInt(newest())),
    finalizedSlot: () => answer(() => BigInt(Math.max(0, newest() - ledger.finalityLag))),
    firstAvailableSlot: () => answer(() => BigInt(firstAvailable)),
    genesisHash: () => answer(() => genesis),
    slotsFrom: (start, limit) =>
      answer(() =>
        [...blocks.keys()]
          .filter((slot) => slot >= start && !ledger.leftOut.has(slot))
          .slice(0, limit)
          .map(BigInt),
      ),
    block: (slot) =>
      answer(() => {
        const block = blocks.get(Number(slot));
        if (block === undefined) throw new NodeRefusal(Number(slot) < firstAvailable ? -32001 : -32004, 'no');
        return block;
      }),
    signatureStatuses: (signatures) =>
      answer(() => ({
        slot: BigInt(newest()),
        statuses: signatures.map((signature) => {
          for (const { slot, transactions } of blocks.values()) {
            const found = transactions().find((each) => each.signature === signature);
            if (found !== undefined) return { slot, error: found.error, isConfirmed: true };
          }
          return undefined;
        }),
      })),
  };
  add(first);
  return ledger;
}
