import { setTimeout as pause } from 'node:timers/promises';
import { isUnanswered } from '../../upstream/pubsub-connection.ts';
import { type AskedNode, NodeError, readNodeValue } from './node-reads.ts';
import type { SharedSubscription } from './shared-subscription.ts';

/** The time back to which blocks are read after a loss; anything older is a gap. */
const WINDOW_MS = 400_000;
/** Most blocks that are read, whatever the slot time. */
const MAX_SLOTS = 4_000;
const ATTEMPTS = 6;
const RETRY_MS = 150;
/** Error codes of a block that the node no longer has, will never have, or cannot encode as requested. */
const GONE: ReadonlySet<number> = new Set([-32001, -32007, -32009, -32015]);

/** Returns the first slot whose block is still to be read: blocks read before another loss are not read again. */
export function unreadFrom({ missingFrom = 0, catchUp }: SharedSubscription): number {
  return Math.max(missingFrom, catchUp.readUntil + 1);
}

/** Returns the first slot to read for some subscriptions, so that the range up to `lastSlot` stays within the limits. */
export function firstOf(
  missed: readonly SharedSubscription[],
  lastSlot: number,
  { pace }: Pick<AskedNode, 'pace'>,
): number {
  const slots = Math.min(pace.slotsIn(WINDOW_MS) ?? MAX_SLOTS, MAX_SLOTS);
  const unread = missed.reduce(
    (first, shared) => Math.min(first, unreadFrom(shared)),
    Number.POSITIVE_INFINITY,
  );
  return Math.max(unread, lastSlot - slots + 1);
}

/** Returns the slots that have a block, both ends included. Throws like `readNode`. */
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

/**
 * Reads from a block, with retries, as a node may need a moment after it has announced it; undefined if it cannot be read.
 *
 * @throws ServiceError `upstreamTimeout`: to ask again, or for more blocks, would take as long each time.
 */
export async function inTime<T>(node: AskedNode, read: () => Promise<T>): Promise<T | undefined> {
  for (let attempt = 1; node.isCurrent(); attempt++) {
    try {
      return await read();
    } catch (error) {
      if (isUnanswered(error)) throw error;
      if (attempt === ATTEMPTS || (error instanceof NodeError && GONE.has(error.code))) return undefined;
      await pause(RETRY_MS * attempt);
    }
  }
  return undefined;
}
