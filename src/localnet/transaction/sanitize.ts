import type { TransactionError } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../service-error.ts';
import type { DecodedTransaction, Message } from '../model.ts';
import { readRequests } from './compute-budget.ts';
import { errorText } from './error-text.ts';

/** What a transaction may carry, whatever fits into its bytes (agave crate solana-transaction-context; SIMD-0406). */
const MAX_INSTRUCTIONS = 64;
const MAX_INSTRUCTION_ACCOUNTS = 255;
const MAX_KEYS = 256;

/** What is wrong with a message, in the words of crate solana-sanitize. */
type MessageFault = 'index out of bounds' | 'invalid value';

/**
 * Refuses a transaction that contradicts itself: header, indexes, number of signatures, compute budget instructions
 * that cannot be read or are repeated. It must pass before the runtime sees the bytes.
 *
 * @throws ServiceError transactionInvalid, signatureLengthMismatch.
 */
export function sanitizeTransaction({ signatures, message }: DecodedTransaction): void {
  if (signatures.length !== message.header.numRequiredSignatures)
    throw serviceError('signatureLengthMismatch');
  const { instructions } = message;
  const isTooLong =
    instructions.length > MAX_INSTRUCTIONS ||
    instructions.some(({ accounts }) => accounts.length > MAX_INSTRUCTION_ACCOUNTS);
  if (isTooLong || messageFault(message) !== undefined) throw invalid('SanitizeFailure');
  const budget = readRequests(message);
  if (budget.kind === 'error') throw invalid(budget.error);
}

/**
 * Refuses a message that contradicts itself.
 *
 * @throws ServiceError messageInvalid.
 */
export function sanitizeMessage(message: Message): void {
  const reason = messageFault(message);
  if (reason !== undefined) throw serviceError('messageInvalid', { reason });
}

/** The checks of crate solana-message, `sanitize` of legacy and of version 0 messages. */
function messageFault({
  version,
  header,
  staticKeys,
  lookups,
  instructions,
}: Message): MessageFault | undefined {
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

function invalid(error: TransactionError) {
  return serviceError('transactionInvalid', { reason: errorText(error) });
}
