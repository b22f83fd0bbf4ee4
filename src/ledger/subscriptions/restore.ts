import { refillAccount } from './refill-account.ts';
import { KINDS } from './read-notice.ts';
import { refillFromBlocks } from './refill-blocks.ts';
import { refillWholeBlocks } from './refill-whole-blocks.ts';
import type { ResumedNode, ResumePoints } from './resume-points.ts';
import type { SharedSubscription } from './shared-subscription.ts';
import type { SignatureChecks } from './signature-checks.ts';

export type RestoreParts = ResumedNode & {
  readonly checks: SignatureChecks;
  /** Called for each failed backfill. */
  readonly onFailure: (error: unknown) => void;
};

/** A gap that is sent only if the ledger was replaced. */
const NO_SLOTS = { fromSlot: 0, toSlot: -1 };
/** Most calls to the node at the same time. */
const CONCURRENCY = 16;

/**
 * Backfills what resumed subscriptions have missed: accounts and programs by their latest state, signatures by their status,
 * logs from the missed blocks. What cannot be backfilled is reported as a gap to all subscribers, before anything newer.
 */
export async function backfill(lost: readonly SharedSubscription[], parts: RestoreParts): Promise<void> {
  const blocks = lost.filter(({ info }) => info.name === 'logsSubscribe' || info.name === 'programSubscribe');
  const others = lost.filter((shared) => !blocks.includes(shared));
  const byCommitment = Map.groupBy(blocks, ({ commitment }) => commitment);
  await Promise.all([
    forEachOf(others, (shared) => backfillOne(shared, parts)),
    ...[...byCommitment].map(([commitment, subscriptions]) =>
      backfillBlocks(commitment, subscriptions, parts),
    ),
  ]);
}

async function backfillOne(shared: SharedSubscription, parts: RestoreParts): Promise<void> {
  switch (shared.info.refill) {
    case 'state':
      return orGap([shared], parts, () => refillAccount(shared, parts));
    case 'status':
      shared.tellGap(NO_SLOTS);
      shared.resume();
      return parts.checks.add(shared);
    case 'blocks':
      // Only the node can tell which transactions of a block a filter would keep.
      if (shared.params[0] !== 'all') return leaveGap(shared, parts);
      return orGap([shared], parts, () => refillWholeBlocks(shared, parts));
    case 'none':
      return leaveOpenGap(shared, parts);
  }
}

function backfillBlocks(
  commitment: string,
  subscriptions: readonly SharedSubscription[],
  parts: RestoreParts,
): Promise<void> {
  const { node, pointAt } = parts;
  return orGap(subscriptions, parts, () => refillFromBlocks({ node, pointAt, commitment, subscriptions }));
}

/** A failure leaves a gap, unless the node is lost again: then the next one is asked. */
async function orGap(
  subscriptions: readonly SharedSubscription[],
  parts: RestoreParts,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!parts.node.isCurrent()) return;
    parts.onFailure(error);
    for (const shared of subscriptions) if (shared.missingFrom !== undefined) await leaveGap(shared, parts);
  }
}

/** The gap ends with the node's newest slot; if the node does not report that either, with the next notification. */
async function leaveGap(shared: SharedSubscription, { node, pointAt }: RestoreParts): Promise<void> {
  const toSlot = await newestSlotAt(pointAt);
  if (!node.isCurrent()) return;
  if (toSlot === undefined) {
    shared.resumeAfterGap();
    return;
  }
  shared.tellGap({ fromSlot: shared.missingFrom ?? 0, toSlot });
  shared.resume();
}

/** The gap ends before the next notification; if that may be about any slot, also after the node's newest one. */
async function leaveOpenGap(shared: SharedSubscription, { node, pointAt }: RestoreParts): Promise<void> {
  if (KINDS[shared.info.name].order !== 'free') return shared.resumeAfterGap();
  const newestSlot = await newestSlotAt(pointAt);
  if (node.isCurrent()) shared.resumeAfterGap(newestSlot ?? shared.missingFrom);
}

async function newestSlotAt(pointAt: ResumePoints): Promise<number | undefined> {
  const point = await pointAt('processed').catch(() => undefined);
  return point?.toSlot;
}

/** Processes items with limited concurrency. */
export async function forEachOf<T>(
  items: readonly T[],
  work: (item: T) => Promise<void> | void,
  atOnce = CONCURRENCY,
): Promise<void> {
  const rest = items.values();
  const worker = async (): Promise<void> => {
    for (const item of rest) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker));
}
