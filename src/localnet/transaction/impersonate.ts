import { createHash } from 'node:crypto';
import { base58 } from '@scure/base';
import { decodeTransaction } from '../../core/wire/decode-transaction.ts';
import type { DecodedTransaction } from '../../core/wire/message.ts';
import { layoutOf } from '../../core/wire/transaction-layout.ts';

const SIGNATURE_BYTES = 64;
const NO_SIGNATURE = base58.encode(new Uint8Array(SIGNATURE_BYTES));

/**
 * Returns a transaction signed by impersonated keys: a missing signature (zeros) is replaced by bytes derived from key and message, so that
 * the transaction has its own id.
 */
export function impersonate(
  transaction: DecodedTransaction,
  impersonated: ReadonlySet<string>,
): DecodedTransaction {
  const { signatures, message, messageBytes } = transaction;
  const missing = signatures.flatMap((signature, index) => {
    const signer = message.staticKeys[index];
    const isMissing = signature === NO_SIGNATURE && signer !== undefined && impersonated.has(signer);
    return isMissing ? [{ index, signer }] : [];
  });
  if (missing.length === 0) return transaction;
  const wire = Uint8Array.from(transaction.wire);
  const layout = layoutOf(wire);
  if (layout === undefined) return transaction;
  for (const { index, signer } of missing) {
    const bytes = createHash('sha512')
      .update('impersonated')
      .update(base58.decode(signer))
      .update(messageBytes);
    wire.set(bytes.digest(), layout.signaturesAt + index * SIGNATURE_BYTES);
  }
  return decodeTransaction(wire);
}
