import type { SimulationResult } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../base/service-error.ts';
import { decodeTransaction } from '../../wire/decode-transaction.ts';
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

type Config = { readonly skipPreflight?: unknown; readonly minContextSlot?: unknown } | null | undefined;

/**
 * Refuses what no ledger could take, before it costs anything and also with skipPreflight: text that is too long or does not
 * decode, and a transaction that nobody has signed (interface.md section 7). A node looks at its slot and at the whole message before it
 * counts signatures and verifies them; where that could make another answer, and its preflight refuses such a transaction anyway, it is asked.
 * A version that is not known here is left to the node, and so is a signature that does not verify.
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
  const { signaturesAt, signatureCount } = layout;
  if (signatureCount === 0) {
    if (hasNode && (minContextSlot ?? null) !== null) return;
    decodeTransaction(wire);
    throw serviceError('transactionInvalid', {
      reason: 'Transaction failed to sanitize accounts offsets correctly',
    });
  }
  const signatures = wire.subarray(signaturesAt, signaturesAt + signatureCount * SIGNATURE_BYTES);
  if (signatures.some((byte) => byte !== 0) || (hasNode && skipPreflight !== true)) return;
  decodeTransaction(wire);
  throw serviceError('preflightFailure', {
    reason: 'Transaction did not pass signature verification',
    data: SIGNATURE_FAILURE,
  });
}

/** Where the parts lie. What ends too early is decoded, for the words of a node, which reads some parts at once. */
function readLayout(wire: Uint8Array): TransactionLayout | undefined {
  try {
    return layoutOf(wire);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    decodeTransaction(wire);
    throw error;
  }
}
