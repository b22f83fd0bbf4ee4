import { serviceError } from '../../service-error.ts';
import type { DecodedTransaction, Message } from '../model.ts';
import { errorText } from './error-text.ts';

/**
 * Refuses a transaction that contradicts itself: header, indexes, number of signatures (solana-message
 * `sanitize`). It must pass before the runtime sees the bytes.
 *
 * @throws ServiceError transactionInvalid, signatureLengthMismatch.
 */
export function sanitizeTransaction({ signatures, message }: DecodedTransaction): void {
  if (signatures.length !== message.header.numRequiredSignatures)
    throw serviceError('signatureLengthMismatch');
  sanitizeMessage(message);
}

/**
 * Refuses a message that contradicts itself.
 *
 * @throws ServiceError transactionInvalid.
 */
export function sanitizeMessage(message: Message): void {
  const { header, staticKeys, lookups } = message;
  const keys =
    staticKeys.length +
    lookups.reduce((sum, { writableIndexes: w, readonlyIndexes: r }) => sum + w.length + r.length, 0);
  const headerFits =
    header.numRequiredSignatures + header.numReadonlyUnsignedAccounts <= staticKeys.length &&
    header.numReadonlySignedAccounts < header.numRequiredSignatures;
  const lookupsLoad = lookups.every(
    ({ writableIndexes, readonlyIndexes }) => writableIndexes.length + readonlyIndexes.length > 0,
  );
  const indexesFit = message.instructions.every(
    ({ programIdIndex, accounts }) =>
      programIdIndex > 0 && programIdIndex < staticKeys.length && accounts.every((index) => index < keys),
  );
  if (headerFits && lookupsLoad && indexesFit && keys <= 256) return;
  throw serviceError('transactionInvalid', { reason: errorText('SanitizeFailure') });
}
