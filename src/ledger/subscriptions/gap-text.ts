import { GAP_NOTIFICATION } from '../../../generated/ledger/subscriptions.ts';

/** Slots that notifications may be missing of: the first and the last one. */
export type Gap = { readonly fromSlot: number; readonly toSlot: number };

/** The message that tells a subscriber of a gap; `genesisHash` where the ledger is another one than before, and its slots begin anew. */
export function gapText(subscription: number, { fromSlot, toSlot }: Gap, genesisHash?: string): Buffer {
  const params = { subscriptions: [subscription], fromSlot, toSlot, genesisHash };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: GAP_NOTIFICATION, params }));
}
