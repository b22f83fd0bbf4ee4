import { base58 } from '@scure/base';

/** The state of the account that every slot of the chain changes: its lamports are the slot. */
export function accountAt(slot: number) {
  return {
    ...{ lamports: slot, data: ['', 'base64'], owner: '11111111111111111111111111111111' },
    ...{ executable: false, rentEpoch: 0, space: 0 },
  };
}

/** The block of a slot, as `getBlock` answers it: every slot of the chain has one, and it is empty. */
export function blockAt(slot: number) {
  return {
    ...{ blockhash: hashAt(slot), previousBlockhash: hashAt(slot - 1), parentSlot: slot - 1 },
    ...{ blockHeight: slot - 100_000, blockTime: 1_700_000_000 + slot, transactions: [], rewards: [] },
  };
}

/** The blockhash of a slot. */
export function hashAt(slot: number): string {
  const bytes = Buffer.alloc(32, 7);
  bytes.writeUInt32BE(slot, 0);
  return base58.encode(bytes);
}
