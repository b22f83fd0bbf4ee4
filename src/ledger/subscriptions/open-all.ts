import { within } from '../../upstream/pool/within.ts';
import { forEachOf } from './restore.ts';
import type { SharedSubscription } from './shared-subscription.ts';

export type Opening = {
  /** Subscribes at the node. Resolves when the node has answered, or does not answer. */
  readonly open: (shared: SharedSubscription) => Promise<void>;
  /** Called with subscriptions of `lost` that the node has accepted. */
  readonly resume: (accepted: readonly SharedSubscription[]) => Promise<void>;
  /** False once the node is lost. */
  readonly isCurrent: () => boolean;
};

/** Most subscribe calls at the same time. */
const AT_ONCE = 128;
/** A call that takes longer does not count as one of these. */
const SLOW_MS = 1_000;
/** Most nodes accept all subscriptions within so long; after that they are resumed in groups, each after twice the time. */
const GATHER_MS = 250;

/**
 * Opens subscriptions at a node, and resumes those that were lost: together, as blocks are read once for all of a group, but one that
 * the node takes long for holds up no other.
 */
export async function openAll(
  all: readonly SharedSubscription[],
  lost: readonly SharedSubscription[],
  { open, resume, isCurrent }: Opening,
): Promise<void> {
  const waiting = new Set(lost);
  const opened: Promise<void>[] = [];
  const resumed: Promise<void>[] = [];
  const ask = async (shared: SharedSubscription): Promise<void> => {
    const answered = open(shared);
    opened.push(answered);
    await within(answered, SLOW_MS);
  };
  let isOpening = true;
  const opening = forEachOf(all, ask, AT_ONCE)
    .then(() => Promise.all(opened))
    .finally(() => {
      isOpening = false;
    });
  for (let gatherMs = GATHER_MS; isOpening; gatherMs *= 2) {
    await within(opening, gatherMs);
    if (!isCurrent()) return;
    const accepted = [...waiting].filter(isSubscribed);
    for (const shared of accepted) waiting.delete(shared);
    if (accepted.length === 0) continue;
    const resuming = resume(accepted);
    resuming.catch(() => undefined);
    resumed.push(resuming);
  }
  await Promise.all(resumed);
}

/** True if the node has accepted a subscription, and it has not ended. */
export function isSubscribed({ nodeId, isEnded }: SharedSubscription): boolean {
  return nodeId !== undefined && !isEnded;
}
