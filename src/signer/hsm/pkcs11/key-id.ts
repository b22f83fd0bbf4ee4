import { hash } from 'node:crypto';
import type { KeyOwner } from '../hsm.ts';

/** Returns the CKA_ID of a wallet's key: SHA-256 of wallet and account, so that no other owner finds it. */
export function keyIdOf({ walletId, accountId }: KeyOwner): Buffer {
  return hash('sha256', JSON.stringify(['keyslot key, version 1', walletId, accountId]), 'buffer');
}
