import { setTimeout as pause } from 'node:timers/promises';
import { type AskedNode, NodeError, readNodeValue } from './node-reads.ts';
import type { SharedSubscription } from './shared-subscription.ts';

/** How far back blocks are read to make up for a loss; what is older is a gap. */
const WINDOW_MS = 400_000;
/** Most blocks that are read, however fast they come. */
const MAX_SLOTS = 4_000;
const ATTEMPTS = 6;
const RETRY_MS = 150;
/** A block that the node had and has no more, that it never will have, or that cannot be written as asked for. */
const GONE: ReadonlySet<number> = new Set([-32001, -32007, -32009, -32015]);

/** The first slot whose block is still to be read: what a node gave before it was lost again is not asked for again. */
export function unreadFrom({ missingFrom = 0, catchUp }: SharedSubscription): number {
  return Math.max(missingFrom, catchUp.readUntil + 1);
}

/** Where reading begins for some subscriptions, so that it is not too much up to `lastSlot`. */
export function firstOf(
  missed: readonly SharedSubscription[],
  lastSlot: number,
  { pace }: Pick<AskedNode, 'pace'>,
): number {
  const slots = Math.min(pace.slotsIn(WINDOW_MS) ?? MAX_SLOTS, MAX_SLOTS);
  return Math.max(Math.min(...missed.map(unreadFrom)), lastSlot - slots + 1);
}

/** The slots that have a block, both ends included. Throws like `readNode`. */
export async function listBlocks(
  node: AskedNode,
  firstSlot: number,
  lastSlot: number,
  commitment: string,
): Promise<readonly number[]> {
  if (firstSlot > lastSlot) return [];
  const listed = await readNodeValue(node, 'getBlocks', [firstSlot, lastSlot, { commitment }]);
  return (listed as readonly number[]).map(Number);
}

/** What is read of a block, which may take a node a moment after it has announced it; undefined if it cannot be had. */
export async function inTime<T>(node: AskedNode, read: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 1; node.isCurrent(); attempt++) {
    try {
      return await read();
    } catch (error) {
      if (attempt === ATTEMPTS || (error instanceof NodeError && GONE.has(error.code))) return undefined;
      await pause(RETRY_MS * attempt);
    }
  }
  return undefined;
}
