import { stringifyJson } from '../../rpc/json.ts';
import { firstOf, inTime, listBlocks, unreadFrom } from './missed-blocks.ts';
import { readSlot } from './node-reads.ts';
import { type BlockTransaction, readBlock } from './read-block.ts';
import { refillProgram } from './refill-program.ts';
import type { ResumedNode } from './resume-points.ts';
import type { SharedSubscription } from './shared-subscription.ts';

export type BlocksRefill = ResumedNode & {
  readonly commitment: string;
  /** Subscriptions of this commitment: to logs, and to programs. */
  readonly subscriptions: readonly SharedSubscription[];
};

const BLOCKS_AT_ONCE = 4;

/**
 * Backfills logs, and finds the written accounts of programs, from the missed blocks: each is read once for all subscriptions
 * of a commitment. Blocks that could not be read are reported as gaps.
 */
export async function refillFromBlocks(refill: BlocksRefill): Promise<void> {
  const { node, pointAt, commitment, subscriptions } = refill;
  const level = commitment === 'processed' ? 'confirmed' : commitment;
  const { slot: lastSlot, toSlot } = await pointAt(level);
  const missed = subscriptions.filter(({ missingFrom }) => missingFrom !== undefined);
  const firstSlot = firstOf(missed, lastSlot, node);
  for (const shared of missed) {
    if (shared.info.refill === 'blocks')
      shared.tellGap({ fromSlot: unreadFrom(shared), toSlot: Math.min(firstSlot - 1, lastSlot) });
  }
  const slots = await listBlocks(node, firstSlot, lastSlot, level);
  for (let start = 0; start < slots.length; start += BLOCKS_AT_ONCE) {
    const some = slots.slice(start, start + BLOCKS_AT_ONCE);
    const blocks = await Promise.all(some.map((slot) => inTime(node, () => readBlock(node, slot, level))));
    if (!node.isCurrent()) return;
    for (const [index, slot] of some.entries())
      for (const shared of missed) takeBlock(shared, slot, blocks[index]);
  }
  const newestSlot = Math.max(toSlot, level === commitment ? -1 : await readSlot(node, commitment));
  for (const shared of missed) {
    if (!node.isCurrent()) return;
    if (shared.info.refill === 'state') await refillProgram(shared, node, newestSlot);
    else finishLogs(shared, lastSlot, newestSlot);
  }
}

function takeBlock(
  shared: SharedSubscription,
  slot: number,
  block: readonly BlockTransaction[] | undefined,
): void {
  if (slot < unreadFrom(shared)) return;
  const { catchUp } = shared;
  catchUp.readUntil = slot;
  if (shared.info.refill === 'state') {
    for (const { writable } of block ?? []) for (const account of writable) catchUp.written.add(account);
  } else if (block === undefined) {
    shared.tellGap({ fromSlot: slot, toSlot: slot });
  } else {
    tellLogs(shared, slot, block);
  }
}

function tellLogs(shared: SharedSubscription, slot: number, block: readonly BlockTransaction[]): void {
  for (const transaction of block) {
    const { signature, err, logs } = transaction;
    if (!isWanted(shared.params[0], transaction)) continue;
    shared.notify(Buffer.from(stringifyJson({ context: { slot }, value: { signature, err, logs } })));
  }
}

function isWanted(filter: unknown, { isVote, accounts }: BlockTransaction): boolean {
  if (filter === 'allWithVotes') return true;
  if (filter === 'all') return !isVote;
  return (filter as { readonly mentions: readonly string[] }).mentions.some((address) =>
    accounts.has(address),
  );
}

/** Blocks are read once they are confirmed: at processed, what was missed after that is a gap. */
function finishLogs(shared: SharedSubscription, lastSlot: number, newestSlot: number): void {
  const fromSlot = Math.max(lastSlot + 1, unreadFrom(shared));
  shared.tellGap({ fromSlot, toSlot: newestSlot });
  shared.resume();
}
