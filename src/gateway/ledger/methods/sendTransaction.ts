import type { SimulationResult } from '../../../../generated/ledger/types.ts';
import { serviceError } from '../../../core/service-error.ts';
import { decodeTransaction } from '../../../core/wire/decode-transaction.ts';
import { layoutOf, type TransactionLayout } from '../../../core/wire/transaction-layout.ts';
import { decodeTransactionText } from '../../../core/wire/transaction-text.ts';
import { MalformedBytes } from '../../../core/wire/wire-reader.ts';
import { readWireEncoding } from '../wire-encoding.ts';

const SIGNATURE_BYTES = 64;

/** A node's preflight result for a transaction whose signatures do not verify. */
const SIGNATURE_FAILURE: SimulationResult = {
  accounts: null,
  err: 'SignatureFailure',
  fee: null,
  innerInstructions: null,
  loadedAccountsDataSize: 0,
  loadedAddresses: null,
  logs: [],
  postBalances: null,
  postTokenBalances: null,
  preBalances: null,
  preTokenBalances: null,
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: 0n,
};

type Config = { readonly skipPreflight?: unknown; readonly minContextSlot?: unknown } | null | undefined;

/**
 * Rejects what no ledger could accept, before it costs anything and also with skipPreflight: text that is too long or does not
 * decode, and a transaction that is not fully signed (interface.md sections 4.1 and 7). A node checks its slot and the whole message before it counts
 * and verifies signatures; where that could change the answer, and its preflight rejects such a transaction anyway, the node is
 * asked. A transaction version that is unknown here is left to the node, and so is a signature that does not verify.
 *
 * @throws ServiceError `unsupportedEncoding`, `transactionTooLarge`, `transactionInvalidEncoding`,
 *   `decodedTransactionTooLarge`, `transactionMalformed`, `transactionInvalid`, `preflightFailure`.
 */
export function sendTransaction(
  params: readonly unknown[],
  { hasNode }: { readonly hasNode: boolean },
): void {
  const [text, config] = params;
  if (typeof text !== 'string') return;
  const wire = decodeTransactionText(text, readWireEncoding(config));
  const layout = readLayout(wire);
  if (layout === undefined) return;
  const { skipPreflight, minContextSlot } = (config as Config) ?? {};
  if (layout.signatureCount === 0) {
    if (hasNode && (minContextSlot ?? null) !== null) return;
    decodeTransaction(wire);
    throw serviceError('transactionInvalid', {
      reason: 'Transaction failed to sanitize accounts offsets correctly',
    });
  }
  if (!missesSignature(wire, layout) || (hasNode && skipPreflight !== true)) return;
  decodeTransaction(wire);
  throw serviceError('preflightFailure', {
    reason: 'Transaction did not pass signature verification',
    data: SIGNATURE_FAILURE,
  });
}

/** True if a signature is all zeros, as it is before its signer has signed; no key makes such a signature. */
function missesSignature(wire: Uint8Array, { signaturesAt, signatureCount }: TransactionLayout): boolean {
  return Array.from({ length: signatureCount }, (_, index) => {
    const start = signaturesAt + index * SIGNATURE_BYTES;
    return wire.subarray(start, start + SIGNATURE_BYTES);
  }).some((signature) => signature.every((byte) => byte === 0));
}

/**
 * Reads the positions of the parts. A truncated transaction is decoded to produce a node's error text, as a node reads some
 * parts at once.
 */
function readLayout(wire: Uint8Array): TransactionLayout | undefined {
  try {
    return layoutOf(wire);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    decodeTransaction(wire);
    throw error;
  }
}
