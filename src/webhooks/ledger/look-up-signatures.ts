import { fromNode } from '../../stream/feed.ts';
import type { Feed } from './feeds.ts';
import type { LedgerFact } from './ledger-fact.ts';
import type { LedgerSource } from './ledger-source.ts';

/**
 * Returns what is known of the signatures that a feed is to look up and that are in blocks before a slot: the others come with their block.
 * Undefined: the node that was asked does not know all of these blocks yet.
 *
 * @throws ServiceError when the ledger cannot be reached.
 */
export async function lookUpSignatures(
  { node }: Pick<LedgerSource, 'node'>,
  { toLookUp, commitment }: Pick<Feed, 'toLookUp' | 'commitment'>,
  beforeSlot: number,
): Promise<readonly LedgerFact[] | undefined> {
  if (toLookUp.length === 0) return [];
  const { slot: at, statuses } = await node.signatureStatuses(toLookUp).catch((error: unknown) => {
    throw fromNode(error);
  });
  const isBehind = statuses.some((status) => status?.isConfirmed === false && status.slot < beforeSlot);
  if (at < beforeSlot || isBehind) return undefined;
  return statuses.flatMap((status, index): LedgerFact[] => {
    if (status === undefined || Number(status.slot) >= beforeSlot) return [];
    const failed = status.error === undefined ? {} : { error: status.error };
    const data = { signature: toLookUp[index], status: commitment, ...failed };
    return [{ type: 'ledger.signature', slot: Number(status.slot), data }];
  });
}
