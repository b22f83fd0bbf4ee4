import type { SimulationResult } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../service-error.ts';
import { layoutOf, type TransactionLayout } from '../../wire/transaction-layout.ts';
import { decodeTransactionText } from '../../wire/transaction-text.ts';
import { MalformedBytes } from '../../wire/wire-reader.ts';
import { readWireEncoding } from '../wire-encoding.ts';

const SIGNATURE_BYTES = 64;

/** What a node's preflight finds of a transaction whose signatures do not verify. */
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

/**
 * Refuses what no ledger could take, before it costs anything and also with skipPreflight: text that is too long or does not
 * decode, and a transaction that nobody has signed (interface.md section 7). A version that is not known here is left to
 * the node, and so is a signature that does not verify.
 *
 * @throws ServiceError `unsupportedEncoding`, `transactionTooLarge`, `transactionInvalidEncoding`,
 *   `decodedTransactionTooLarge`, `transactionMalformed`, `transactionInvalid`, `preflightFailure`.
 */
export function sendTransaction(params: readonly unknown[]): void {
  const [text, config] = params;
  if (typeof text !== 'string') return;
  const wire = decodeTransactionText(text, readWireEncoding(config));
  const layout = readLayout(wire);
  if (layout === undefined) return;
  const { signaturesAt, signatureCount } = layout;
  if (signatureCount === 0)
    throw serviceError('transactionInvalid', {
      reason: 'Transaction failed to sanitize accounts offsets correctly',
    });
  const signatures = wire.subarray(signaturesAt, signaturesAt + signatureCount * SIGNATURE_BYTES);
  if (signatures.every((byte) => byte === 0))
    throw serviceError('preflightFailure', {
      reason: 'Transaction did not pass signature verification',
      data: SIGNATURE_FAILURE,
    });
}

function readLayout(wire: Uint8Array): TransactionLayout | undefined {
  try {
    return layoutOf(wire);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    throw serviceError(
      'transactionMalformed',
      { expected: 'solana_transaction::versioned::VersionedTransaction', reason: error.reason },
      error,
    );
  }
}
