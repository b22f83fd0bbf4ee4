import { fromNode } from '../../../gateway/streams/feed.ts';
import type { Hub } from '../../../gateway/streams/hub.ts';
import type { LedgerNode } from '../../../gateway/streams/ledger-node.ts';
import type { LedgerCommitment } from '../../../store/webhook-tables.ts';

/** A network whose events webhooks may get. */
export type LedgerSource = {
  /** `<name>-<environment>` */
  readonly network: string;
  readonly hub: Pick<Hub, 'open'>;
  readonly node: Pick<LedgerNode, 'genesisHash' | 'confirmedSlot' | 'finalizedSlot' | 'signatureStatuses'>;
  /** Interval at which a block is checked for finalization. */
  readonly pollMs: () => number;
};

/** A place in a ledger. */
export type LedgerPlace = { readonly slot: number; readonly genesis: string };

/** Returns the newest slot of a commitment, and the ledger that it belongs to. @throws ServiceError when the ledger cannot be reached. */
export async function newestPlace(
  { node }: Pick<LedgerSource, 'node'>,
  commitment: LedgerCommitment,
): Promise<LedgerPlace> {
  try {
    const genesis = await node.genesisHash();
    const slot = await (commitment === 'finalized' ? node.finalizedSlot() : node.confirmedSlot());
    return { slot: Number(slot), genesis };
  } catch (error) {
    throw fromNode(error);
  }
}
