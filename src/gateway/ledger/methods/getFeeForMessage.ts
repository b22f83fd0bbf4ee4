import { decodeMessageText } from '../../../core/wire/transaction-text.ts';

/**
 * Rejects text that is too long for a message or does not decode, before it costs anything.
 *
 * @throws ServiceError `messageTooLarge`, `transactionInvalidEncoding`, `decodedMessageTooLarge`.
 */
export function getFeeForMessage(params: readonly unknown[]): void {
  const [text] = params;
  if (typeof text === 'string') decodeMessageText(text);
}
