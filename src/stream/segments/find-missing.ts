import { setTimeout } from 'node:timers/promises';
import { ServiceError, serviceError } from '../../base/service-error.ts';
import type { Block } from '../block/block.ts';
import type { KeptBlocks } from '../kept-blocks.ts';
import { type LedgerNode, NodeRefusal } from '../ledger-node.ts';
import { chainTo } from '../next-blocks.ts';
import type { StreamPace } from '../stream-pace.ts';
import type { Link } from './block-record.ts';

/** Where blocks come from that are missing in files. */
export type MissingSources = {
  readonly node: LedgerNode;
  /** Those that gateways share. */
  readonly kept: Pick<KeptBlocks, 'after'> | undefined;
  readonly pace: Pick<StreamPace, 'maxResumeSlots' | 'pollMs'>;
};

/** Holes of more slots are not read from a node, nor those that are larger than a stream may resume behind the newest slot. */
export const MAX_NODE_SLOTS = 256;
/** Follows the pace at which blocks are made: there are two polls in the length of a slot. */
const POLLS_BETWEEN = 2;

/**
 * Finds the next blocks of a chain, at least one: those that gateways share, else a block of the node, after a pause of the length of a slot.
 *
 * @param before the slot at which the missing blocks end.
 * @returns `fork`: the chain no longer has the block that they follow on; `gone`: nobody has them, or too many are missing.
 * @throws the errors of the node and of what is shared, and when the signal aborts the pause: try again.
 */
export async function findMissing(
  { node, kept, pace }: MissingSources,
  link: Link,
  before: bigint,
  signal: AbortSignal,
): Promise<readonly Block[] | 'fork' | 'gone'> {
  const shared = await kept?.after(link.slot);
  if (shared?.block.previousBlockhash === link.blockhash) return [shared.block];
  if (Number(before - link.slot) > Math.min(MAX_NODE_SLOTS, pace.maxResumeSlots())) return 'gone';
  await setTimeout(POLLS_BETWEEN * pace.pollMs(), undefined, { signal, ref: false });
  try {
    const [slot] = await node.slotsFrom(link.slot + 1n, 1);
    if (slot === undefined) throw serviceError('upstreamBroken', {}, new Error('a block is missing'));
    const finalizedSlot = await node.finalizedSlot();
    return await chainTo(node, link, await node.block(slot, finalizedSlot), finalizedSlot);
  } catch (error) {
    if (error instanceof NodeRefusal && error.isFinal) return 'gone';
    if (!(error instanceof ServiceError) || error.code !== 'ledgerChanged') throw error;
    return (await node.firstAvailableSlot()) > link.slot + 1n ? 'gone' : 'fork';
  }
}
