import { setImmediate } from 'node:timers/promises';
import type { FeedOptions } from '../../../../src/gateway/streams/feed.ts';
import { shareBlocks } from '../../../../src/gateway/streams/shared/share-blocks.ts';
import type { SharedBlock, SharedBlocks } from '../../../../src/gateway/streams/shared/shared-blocks.ts';
import type { ScriptedLedger } from '../scripted-ledger.ts';

const RUN = 'run';
const BLOCKS_AT_ONCE = 8;

/** The blocks of a ledger after a slot, as another gateway shares them. */
export function createScriptedBlocks(ledger: ScriptedLedger, base: number): SharedBlocks {
  const slotsAfter = (slot: bigint) => ledger.slots().filter((each) => each > base && BigInt(each) > slot);
  const toShared = (slot: number): SharedBlock => ({
    slot: BigInt(slot),
    blockhash: `genesis ${slot}`,
    run: RUN,
    finalizedSlot: 0n,
    read: () => ledger.block(BigInt(slot), 0n),
  });
  return {
    isUp: () => true,
    head: async () => ({
      run: RUN,
      genesis: 'genesis',
      base: BigInt(base),
      slot: BigInt(Math.max(...ledger.slots())),
    }),
    claim: async () => undefined,
    append: async () => 'term',
    firstAfter: async (slot) => slotsAfter(slot).slice(0, 1).map(toShared)[0],
    openReader: () => ({
      isUp: () => true,
      read: async (slot) => {
        await setImmediate();
        return slotsAfter(slot).slice(0, BLOCKS_AT_ONCE).map(toShared);
      },
      close: async () => undefined,
    }),
  };
}

/** A gateway that never reads for all. */
export const openShared = (blocks: SharedBlocks) =>
  shareBlocks({
    network: 'solana-localnet',
    blocks,
    reachSlots: () => 150,
    shownSlot: () => undefined,
    stallMs: 60_000,
    createTerms: () => ({ hold: async () => undefined, leave: async () => undefined }),
    openNode: () => {
      throw new Error('it reads for all');
    },
  });

/** Options of a feed whose ledger neither fails nor is replaced. */
export const feedOptions = (node: FeedOptions['node'], onBlock: FeedOptions['onBlock']): FeedOptions => {
  const fail = (error: Error): never => {
    throw error;
  };
  return { node, onBlock, generation: () => 0, pollMs: () => 1, onChanged: fail, onFailure: fail };
};
