import type {
  AuditCharge as ShownCharge,
  AuditRecord as ShownRecord,
} from '../../../generated/account/types.ts';
import type { AuditCharge } from '../../../runtime/audit-bytes.ts';
import { printUsd } from '../../../runtime/micro-usd.ts';
import type { StoredRecord } from './read-chain.ts';

/** Returns a record of the audit log as the account service shows it, without members that are null. */
export function showRecord(record: StoredRecord & { readonly tokenName?: string | null }): ShownRecord {
  const { accountId, seq, at, action, outcome, requestId, units } = record;
  const { tokenId, tokenName = null, walletId, address, memberId, subject, charges } = record;
  const { documentSha256, changes } = record;
  return {
    account_id: accountId,
    seq,
    at: at.toISOString(),
    action,
    outcome,
    ...(tokenId !== null && { token_id: tokenId }),
    ...(tokenName !== null && { token_name: tokenName }),
    request_id: requestId,
    ...(walletId !== null && { wallet_id: walletId }),
    units,
    ...(address !== null && { address }),
    ...(memberId !== null && { member_id: memberId }),
    ...(subject !== null && { subject }),
    ...(charges !== null && { charges: charges.map(showCharge) }),
    ...(documentSha256 !== null && { document_sha256: documentSha256 }),
    ...(changes !== null && { changes: [...changes] }),
    previous_hash: hexOf(record.previousHash),
    hash: hexOf(record.hash),
  };
}

/** Returns a charge of a record as the account service shows it. */
export function showCharge({ amount, prices, ...charge }: AuditCharge): ShownCharge {
  return {
    ...charge,
    amount_usd: printUsd(BigInt(amount)),
    ...(prices !== undefined && {
      prices: {
        standard_usd: printUsd(BigInt(prices.standard)),
        volume_usd: printUsd(BigInt(prices.volume)),
        volume_threshold: prices.volumeThreshold,
      },
    }),
  };
}

/** Returns bytes in hexadecimal digits. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}
