import { serviceError } from '../service-error.ts';
import { type ByteEncoding, decodeBytes } from './encoded-bytes.ts';

/** Maximum number of bytes, and of characters of their text. */
type SizeLimit = { readonly rawLimit: number; readonly limit: number };

/** Base-58 is deprecated: its limit is that of a packet, whatever the version. */
const BASE58_LIMIT: SizeLimit = { rawLimit: 1_232, limit: 1_683 };
const PACKET_LIMIT: SizeLimit = { rawLimit: 1_232, limit: 1_644 };
const VERSION_1_LIMIT: SizeLimit = { rawLimit: 4_096, limit: 5_464 };

/** Base-64 text of a first byte of 0x81 or more starts with this or sorts after it: nodes use it to detect version 1 before decoding. */
const VERSION_1_START = 'gQ';

/**
 * Decodes a transaction sent as text: at most 1,232 bytes, or 4,096 for version 1 in base-64 (agave, `decode_and_deserialize`).
 *
 * @throws ServiceError transactionTooLarge, transactionInvalidEncoding, decodedTransactionTooLarge.
 */
export function decodeTransactionText(text: string, encoding: ByteEncoding): Uint8Array {
  const size = limitOf(text, encoding);
  const value = Buffer.byteLength(text);
  if (value > size.limit) throw serviceError('transactionTooLarge', { encoding, value, ...size });
  const bytes = decodeText(text, encoding);
  if (bytes.length > size.rawLimit)
    throw serviceError('decodedTransactionTooLarge', { value: bytes.length, limit: size.rawLimit });
  return bytes;
}

/**
 * Decodes a message sent as base-64 text, with the limits of a transaction.
 *
 * @throws ServiceError messageTooLarge, transactionInvalidEncoding, decodedMessageTooLarge.
 */
export function decodeMessageText(text: string): Uint8Array {
  const size = limitOf(text, 'base64');
  const value = Buffer.byteLength(text);
  if (value > size.limit) throw serviceError('messageTooLarge', { value, ...size });
  const bytes = decodeText(text, 'base64');
  if (bytes.length > size.rawLimit)
    throw serviceError('decodedMessageTooLarge', { value: bytes.length, limit: size.rawLimit });
  return bytes;
}

function limitOf(text: string, encoding: ByteEncoding): SizeLimit {
  if (encoding === 'base58') return BASE58_LIMIT;
  return text.length >= 2 && text.slice(0, 2) >= VERSION_1_START ? VERSION_1_LIMIT : PACKET_LIMIT;
}

function decodeText(text: string, encoding: ByteEncoding): Uint8Array {
  const decoded = decodeBytes(text, encoding);
  if (decoded.kind === 'bytes') return decoded.bytes;
  throw serviceError('transactionInvalidEncoding', { encoding, reason: decoded.reason });
}
