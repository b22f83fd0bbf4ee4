import { base58, base64 } from '@scure/base';
import { serviceError } from '../../service-error.ts';

/** The largest transaction in bytes, and the longest text that can encode one. */
const MAX_BYTES = 1_232;
const MAX_TEXT = { base58: 1_683, base64: 1_644 } as const;
type Encoding = keyof typeof MAX_TEXT;
const BASE64_ALPHABET = /^[A-Za-z0-9+/]$/;
const BASE58_ALPHABET = /^[1-9A-HJ-NP-Za-km-z]$/;

/**
 * The bytes of a transaction sent as text.
 *
 * @throws ServiceError transactionTooLarge, transactionInvalidEncoding, decodedTransactionTooLarge; the reason is the
 * decoder's own debug text, as nodes give it.
 */
export function decodeTransactionText(text: string, encoding: Encoding): Uint8Array {
  const size = { value: text.length, limit: MAX_TEXT[encoding], rawLimit: MAX_BYTES };
  if (size.value > size.limit) throw serviceError('transactionTooLarge', { encoding, ...size });
  const bytes = decode(text, encoding);
  if (bytes.length > MAX_BYTES)
    throw serviceError('decodedTransactionTooLarge', { value: bytes.length, limit: MAX_BYTES });
  return bytes;
}

/**
 * The bytes of a message sent as base-64 text.
 *
 * @throws ServiceError messageTooLarge, transactionInvalidEncoding, decodedMessageTooLarge.
 */
export function decodeMessageText(text: string): Uint8Array {
  const size = { value: text.length, limit: MAX_TEXT.base64, rawLimit: MAX_BYTES };
  if (size.value > size.limit) throw serviceError('messageTooLarge', size);
  const bytes = decode(text, 'base64');
  if (bytes.length > MAX_BYTES)
    throw serviceError('decodedMessageTooLarge', { value: bytes.length, limit: MAX_BYTES });
  return bytes;
}

function decode(text: string, encoding: Encoding): Uint8Array {
  const reason = encodingFault(text, encoding);
  if (reason !== undefined) throw serviceError('transactionInvalidEncoding', { encoding, reason });
  return encoding === 'base58' ? base58.decode(text) : base64.decode(text);
}

/** What a decoder finds wrong with a text, in its own debug words; undefined if it can be decoded. */
export function encodingFault(text: string, encoding: Encoding): string | undefined {
  return encoding === 'base58' ? base58Fault(text) : base64Fault(text);
}

function base58Fault(text: string): string | undefined {
  const index = [...text].findIndex((character) => !BASE58_ALPHABET.test(character));
  if (index < 0) return undefined;
  const character = [...text][index] ?? '';
  return character > '\u007f'
    ? `NonAsciiCharacter { index: ${index} }`
    : `InvalidCharacter { character: '${character}', index: ${index} }`;
}

function base64Fault(text: string): string | undefined {
  const bytes = Buffer.from(text);
  const bare = text.replace(/={0,2}$/, '');
  const index = bytes.findIndex(
    (byte, position) => position < bare.length && !BASE64_ALPHABET.test(String.fromCharCode(byte)),
  );
  if (index >= 0) return `InvalidByte(${index}, ${bytes[index]})`;
  if (bare.length % 4 === 1) return `InvalidLength(${bare.length})`;
  if (text.length % 4 !== 0) return 'InvalidPadding';
  const canonical = Buffer.from(text, 'base64').toString('base64') === text;
  return canonical ? undefined : `InvalidLastSymbol(${bare.length - 1}, ${bytes[bare.length - 1]})`;
}
