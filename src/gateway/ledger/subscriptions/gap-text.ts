import { GAP_NOTIFICATION } from '../../../../generated/ledger/subscriptions.ts';

/** The first and the last slot for which notifications may be missing. */
export type Gap = { readonly fromSlot: number; readonly toSlot: number };

/** Returns the gap notice for a subscriber; `genesisHash` is set if the ledger was replaced, and its slots start over. */
export function gapText(subscription: number, { fromSlot, toSlot }: Gap, genesisHash?: string): Buffer {
  const params = { subscriptions: [subscription], fromSlot, toSlot, genesisHash };
  return Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: GAP_NOTIFICATION, params }));
}
