import { stringifyJson } from '../../rpc/json.ts';
import { LogReaders } from './log-readers.ts';
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
  const readers = new LogReaders(missed.filter(({ info }) => info.refill === 'blocks'));
  const slots = await listBlocks(node, firstSlot, lastSlot, level);
  for (let start = 0; start < slots.length; start += BLOCKS_AT_ONCE) {
    const some = slots.slice(start, start + BLOCKS_AT_ONCE);
    const blocks = await Promise.all(some.map((slot) => inTime(node, () => readBlock(node, slot, level))));
    if (!node.isCurrent()) return;
    for (const [index, slot] of some.entries())
      takeBlock(missed, readers, { slot, transactions: blocks[index] });
  }
  const newestSlot = Math.max(toSlot, level === commitment ? -1 : await readSlot(node, commitment));
  for (const shared of missed) {
    if (!node.isCurrent()) return;
    if (shared.info.refill === 'state') await refillProgram(shared, node, newestSlot);
    else finishLogs(shared, lastSlot, newestSlot);
  }
}

type Block = { readonly slot: number; readonly transactions: readonly BlockTransaction[] | undefined };

/** Gives a block to the subscriptions that have not read it; `readers` are those to logs. */
function takeBlock(
  missed: readonly SharedSubscription[],
  readers: LogReaders,
  { slot, transactions }: Block,
): void {
  const unread = missed.filter((shared) => slot >= unreadFrom(shared));
  for (const shared of unread) {
    const { info, catchUp } = shared;
    catchUp.readUntil = slot;
    if (info.refill === 'state') {
      for (const { writable } of transactions ?? [])
        for (const account of writable) catchUp.written.add(account);
    } else if (transactions === undefined) shared.tellGap({ fromSlot: slot, toSlot: slot });
  }
  const reading = new Set(unread);
  for (const transaction of transactions ?? []) {
    const { signature, err, logs } = transaction;
    let result: Buffer | undefined;
    for (const shared of readers.of(transaction)) {
      if (!reading.has(shared)) continue;
      result ??= Buffer.from(stringifyJson({ context: { slot }, value: { signature, err, logs } }));
      shared.notify(result);
    }
  }
}
/** Blocks are read once they are confirmed: at processed, what was missed after that is a gap. */
function finishLogs(shared: SharedSubscription, lastSlot: number, newestSlot: number): void {
  const fromSlot = Math.max(lastSlot + 1, unreadFrom(shared));
  shared.tellGap({ fromSlot, toSlot: newestSlot });
  shared.resume();
}
