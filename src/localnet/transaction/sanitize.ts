import type { TransactionError } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../core/service-error.ts';
import type { DecodedTransaction, Message } from '../../core/wire/message.ts';
import { isHeapSize, readRequests } from './compute-budget.ts';
import { errorText } from './error-text.ts';

/** Limits of a transaction, however much fits into its bytes (agave crate solana-transaction-context; SIMD-0406). */
const MAX_INSTRUCTIONS = 64;
const MAX_INSTRUCTION_ACCOUNTS = 255;
const MAX_KEYS = 256;
/** Limits of a version 1 message (SIMD-0385). */
const VERSION_1_SIGNATURES = 12;
const VERSION_1_KEYS = 64;

/** The fault of a message, in the words of crate solana-sanitize. */
type MessageFault = 'index out of bounds' | 'invalid value';

/**
 * Refuses an inconsistent transaction: header, indexes, number of signatures, compute budget instructions that cannot be read or are
 * repeated. It must pass before the runtime sees the bytes.
 *
 * @throws ServiceError transactionInvalid.
 */
export function sanitizeTransaction({ signatures, message }: DecodedTransaction): void {
  const { instructions, header } = message;
  const isOdd =
    signatures.length !== header.numRequiredSignatures ||
    instructions.length > MAX_INSTRUCTIONS ||
    instructions.some(({ accounts }) => accounts.length > MAX_INSTRUCTION_ACCOUNTS);
  if (isOdd || messageFault(message) !== undefined) throw invalid('SanitizeFailure');
  const budget = readRequests(message);
  if (budget.kind === 'error') throw invalid(budget.error);
}

/**
 * Refuses an inconsistent message.
 *
 * @throws ServiceError messageInvalid.
 */
export function sanitizeMessage(message: Message): void {
  const reason = messageFault(message);
  if (reason !== undefined) throw serviceError('messageInvalid', { reason });
}

/** The checks of crate solana-message: `sanitize` of each version. */
function messageFault(message: Message): MessageFault | undefined {
  const { version, header, staticKeys, lookups, instructions } = message;
  const fault = version === 1 ? version1Fault(message) : undefined;
  if (fault !== undefined) return fault;
  const { numRequiredSignatures, numReadonlySignedAccounts, numReadonlyUnsignedAccounts } = header;
  if (numRequiredSignatures + numReadonlyUnsignedAccounts > staticKeys.length) return 'index out of bounds';
  if (numReadonlySignedAccounts >= numRequiredSignatures)
    return version === 'legacy' ? 'index out of bounds' : 'invalid value';
  const loaded = lookups.map(({ writableIndexes: w, readonlyIndexes: r }) => w.length + r.length);
  if (loaded.includes(0)) return 'invalid value';
  const keys = loaded.reduce((sum, count) => sum + count, staticKeys.length);
  const indexesFit = instructions.every(
    ({ programIdIndex, accounts }) =>
      programIdIndex > 0 && programIdIndex < staticKeys.length && accounts.every((index) => index < keys),
  );
  return indexesFit && keys <= MAX_KEYS ? undefined : 'index out of bounds';
}

/** Further checks of a version 1 message. */
function version1Fault({ header, staticKeys, instructions, config }: Message): MessageFault | undefined {
  const isTooLong =
    header.numRequiredSignatures > VERSION_1_SIGNATURES ||
    instructions.length > MAX_INSTRUCTIONS ||
    staticKeys.length > VERSION_1_KEYS;
  if (isTooLong) return 'index out of bounds';
  const heapSize = config?.heapSize ?? null;
  const isHeapBad = heapSize !== null && !isHeapSize(BigInt(heapSize));
  return isHeapBad || new Set(staticKeys).size < staticKeys.length ? 'invalid value' : undefined;
}

function invalid(error: TransactionError) {
  return serviceError('transactionInvalid', { reason: errorText(error) });
}
