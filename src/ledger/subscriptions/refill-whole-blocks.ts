import { firstOf, inTime, listBlocks, unreadFrom } from './missed-blocks.ts';
import { readNode } from './node-reads.ts';
import type { ResumedNode } from './resume-points.ts';
import type { SharedSubscription } from './shared-subscription.ts';

type Config = {
  readonly encoding?: string;
  readonly transactionDetails?: string;
  readonly showRewards?: boolean;
  readonly maxSupportedTransactionVersion?: number;
};

/** Nodes encode blocks of subscriptions in base64 by default, those of calls in JSON. */
const DEFAULT_ENCODING = 'base64';

/** Sends the missed blocks, in order, for a subscription to everything in every block. A block that cannot be read is a gap. */
export async function refillWholeBlocks(
  shared: SharedSubscription,
  { node, pointAt }: ResumedNode,
): Promise<void> {
  const { commitment, catchUp, params } = shared;
  const { showRewards, ...config } = (params[1] ?? {}) as Config;
  const asked = { encoding: DEFAULT_ENCODING, ...config, commitment, rewards: showRewards ?? false };
  const { slot: lastSlot, toSlot } = await pointAt(commitment);
  const firstSlot = firstOf([shared], lastSlot, node);
  shared.tellGap({ fromSlot: unreadFrom(shared), toSlot: Math.min(firstSlot - 1, lastSlot) });
  for (const slot of await listBlocks(node, firstSlot, lastSlot, commitment)) {
    const block = await inTime(node, () => readNode(node, 'getBlock', [slot, asked]));
    if (!node.isCurrent()) return;
    catchUp.readUntil = slot;
    if (block === undefined) shared.tellGap({ fromSlot: slot, toSlot: slot });
    else
      shared.notify(
        Buffer.from(`{"context":{"slot":${slot}},"value":{"slot":${slot},"block":${block},"err":null}}`),
      );
  }
  shared.tellGap({ fromSlot: Math.max(lastSlot + 1, unreadFrom(shared)), toSlot });
  shared.resume();
}
