import type { PubsubSession } from '../../nodes/pubsub-link.ts';
import { pause } from '../../nodes/pool/within.ts';
import { isUnanswered } from '../../nodes/pubsub-connection.ts';
import { type AskedNode, readSlot } from './node-reads.ts';

/** The slot of a node at a commitment when it had accepted subscriptions. */
export type ResumePoint = {
  /** The newest slot that it has over HTTP. */
  readonly slot: number;
  /** The newest slot that it may have had where its notifications come from: they may leave out everything up to here. */
  readonly toSlot: number;
};

/** Returns the point at a commitment. Throws like `readNode`. */
export type ResumePoints = (commitment: string) => Promise<ResumePoint>;

/** A node that is read for what was missed. */
export type ResumedNode = {
  readonly node: AskedNode;
  /** The slot that it has reached since it accepted the subscriptions. */
  readonly pointAt: ResumePoints;
};

/** Most milliseconds that are waited for a node to have over HTTP what it has announced. */
const CATCH_UP_MS = 2_000;
const LOOK_MS = 50;

/**
 * Finds out how far a node is that has accepted subscriptions. Notifications and answers may come from different machines: an
 * announced slot is waited for, however slow the node or this process is, and then that slot over HTTP. A node where it does not come
 * is as far as the announced slot, whatever it answers; one that announces none is lost for its silence. A node that has left one of
 * these calls unanswered is not asked again, as notifications wait meanwhile.
 */
export function createResumePoints(
  node: AskedNode,
  session: Pick<PubsubSession, 'hasAnnounced' | 'newestSlot'>,
): ResumePoints {
  let announced: Promise<number> | undefined;
  return async (commitment) => {
    announced ??= aheadOfAnswers(node, session);
    const aheadSlot = await announced;
    try {
      const slot = await readSlot(node, commitment);
      return { slot, toSlot: Math.max(slot, aheadSlot) };
    } catch (error) {
      if (isUnanswered(error)) {
        announced = Promise.reject(error);
        announced.catch(() => undefined);
      }
      throw error;
    }
  };
}

/** Waits for an announced slot and returns it if the node does not get there over HTTP in time; otherwise -1. Throws `upstreamTimeout`. */
async function aheadOfAnswers(
  node: AskedNode,
  { hasAnnounced, newestSlot }: Pick<PubsubSession, 'hasAnnounced' | 'newestSlot'>,
): Promise<number> {
  await hasAnnounced;
  const slot = newestSlot();
  if (slot === undefined) return -1;
  const untilMs = performance.now() + CATCH_UP_MS;
  while (node.isCurrent()) {
    if ((await readSlot(node, 'processed').catch(notCome)) >= slot) return -1;
    if (performance.now() >= untilMs) break;
    await pause(LOOK_MS);
  }
  return slot;
}

/** A slot that cannot be read now has not come. */
function notCome(error: unknown): number {
  if (isUnanswered(error)) throw error;
  return -1;
}
