import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';

const ID_BYTES = 16;
const ID = /^w_[1-9A-HJ-NP-Za-km-z]{16,22}$/;

/** Creates the id of a managed wallet: `w_` and 128 random bits in base-58. */
export function createWalletId(): string {
  return `w_${base58.encode(randomBytes(ID_BYTES))}`;
}

/** True when a text could be the id of a wallet. */
export function isWalletId(text: string): boolean {
  return ID.test(text);
}
