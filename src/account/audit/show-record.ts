import type { AuditRecord as ShownRecord } from '../../../generated/account/types.ts';
import type { StoredRecord } from './read-chain.ts';

/** Returns a record of the audit log as the account service shows it: what is null is absent. */
export function showRecord(record: StoredRecord & { readonly tokenName?: string | null }): ShownRecord {
  const { accountId, seq, at, action, outcome, requestId, units } = record;
  const { tokenId, tokenName = null, walletId, address, memberId, subject } = record;
  return {
    ...{ account_id: accountId, seq, at: at.toISOString(), action, outcome },
    ...(tokenId !== null && { token_id: tokenId }),
    ...(tokenName !== null && { token_name: tokenName }),
    request_id: requestId,
    ...(walletId !== null && { wallet_id: walletId }),
    units,
    ...(address !== null && { address }),
    ...(memberId !== null && { member_id: memberId }),
    ...(subject !== null && { subject }),
    ...{ previous_hash: hexOf(record.previousHash), hash: hexOf(record.hash) },
  };
}

/** Returns bytes in hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
