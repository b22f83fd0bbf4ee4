import { hash } from 'node:crypto';
import type { KeyOwner } from '../hsm.ts';

/** The CKA_ID of a wallet's key: SHA-256 of wallet and account, so that it is found by nobody else's. */
export function keyIdOf({ walletId, accountId }: KeyOwner): Buffer {
  return hash('sha256', JSON.stringify(['keyslot key, version 1', walletId, accountId]), 'buffer');
}
