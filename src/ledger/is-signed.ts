import { serviceError } from '../service-error.ts';

const SIGNATURE_BYTES = 64;

/**
 * Whether a transaction in wire form carries a signature: at least one that is not all zero. Bytes that start with a
 * version mark (0x80 and above, where a signature count that fits a packet cannot be) are of a format whose signatures
 * stand elsewhere; the node judges those.
 *
 * @throws ServiceError `transactionMalformed` if the signatures are cut off.
 */
export function isSigned(wire: Uint8Array): boolean {
  const [count] = wire;
  if (count !== undefined && count >= 0x80) return true;
  const end = 1 + (count ?? 0) * SIGNATURE_BYTES;
  if (count === undefined || wire.length <= end) {
    throw serviceError('transactionMalformed', {
      expected: 'solana_transaction::versioned::VersionedTransaction',
      reason: 'io error: failed to fill whole buffer',
    });
  }
  return wire.subarray(1, end).some((byte) => byte !== 0);
}
