import { base58 } from '@scure/base';
import { serviceError } from '../service-error.ts';

export type TransactionEncoding = 'base58' | 'base64';

/** Bytes of a packet, and the longest texts that such bytes have (agave PACKET_DATA_SIZE, MAX_BASE58_SIZE, MAX_BASE64_SIZE). */
const PACKET_BYTES = 1232;
const MAX_TEXT: Readonly<Record<TransactionEncoding, number>> = { base58: 1683, base64: 1644 };

const NOT_BASE58 = /[^1-9A-HJ-NP-Za-km-z]/u;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;
const PADDING = /={1,2}$/;

/**
 * The wire bytes of an encoded transaction, at most 1232.
 *
 * @throws ServiceError `transactionTooLarge`, `transactionInvalidEncoding`, `decodedTransactionTooLarge` in the order
 *   and words of agave's `decode_and_deserialize`.
 */
export function decodeTransaction(text: string, encoding: TransactionEncoding): Uint8Array {
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > MAX_TEXT[encoding]) {
    const limits = { limit: MAX_TEXT[encoding], rawLimit: PACKET_BYTES };
    throw serviceError('transactionTooLarge', { encoding, value: sizeBytes, ...limits });
  }
  const bytes = encoding === 'base58' ? decodeBase58(text) : decodeBase64(text);
  if (bytes.length > PACKET_BYTES) {
    throw serviceError('decodedTransactionTooLarge', { value: bytes.length, limit: PACKET_BYTES });
  }
  return bytes;
}

function decodeBase58(text: string): Uint8Array {
  const match = NOT_BASE58.exec(text);
  if (match === null) return base58.decode(text);
  const [character] = match;
  const index = Buffer.byteLength(text.slice(0, match.index));
  const isAscii = character <= '\u007f';
  const reason = isAscii
    ? `InvalidCharacter { character: '${character}', index: ${index} }`
    : `NonAsciiCharacter { index: ${index} }`;
  throw serviceError('transactionInvalidEncoding', { encoding: 'base58', reason });
}

function decodeBase64(text: string): Uint8Array {
  const symbols = text.replace(PADDING, '');
  const match = NOT_BASE64.exec(symbols);
  if (match !== null) {
    const bytes = Buffer.from(text);
    const index = Buffer.byteLength(symbols.slice(0, match.index));
    throw invalidBase64(`InvalidByte(${index}, ${bytes[index]})`);
  }
  if (text.length % 4 !== 0 || symbols.length % 4 === 1) throw invalidBase64('InvalidPadding');
  const bytes = Buffer.from(symbols, 'base64');
  const last = symbols.length - 1;
  if (bytes.toString('base64') !== text)
    throw invalidBase64(`InvalidLastSymbol(${last}, ${symbols.charCodeAt(last)})`);
  return bytes;
}

function invalidBase64(reason: string): Error {
  return serviceError('transactionInvalidEncoding', { encoding: 'base64', reason });
}
