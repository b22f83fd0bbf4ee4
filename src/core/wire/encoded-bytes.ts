import { base58 } from '@scure/base';

/** The text encodings of transactions, messages and bytes to compare. */
export type ByteEncoding = 'base58' | 'base64';

const NOT_BASE58 = /[^1-9A-HJ-NP-Za-km-z]/u;
const NOT_BASE64 = /[^A-Za-z0-9+/]/;
const PADDING = /={1,2}$/;

/** The bytes, or the reason for failure: the decoder's own debug text (crates bs58 and base64), as nodes print it. */
export type DecodedBytes =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'fault'; readonly reason: string };

/** Decodes text strictly: base-64 is padded, and its last symbol has no bits left over. */
export function decodeBytes(text: string, encoding: ByteEncoding): DecodedBytes {
  const reason = encoding === 'base58' ? base58Fault(text) : base64Fault(text);
  if (reason !== undefined) return { kind: 'fault', reason };
  return { kind: 'bytes', bytes: encoding === 'base58' ? base58.decode(text) : Buffer.from(text, 'base64') };
}

function base58Fault(text: string): string | undefined {
  const match = NOT_BASE58.exec(text);
  if (match === null) return undefined;
  const [character] = match;
  const { index } = match;
  return character > '\u007f'
    ? `NonAsciiCharacter { index: ${index} }`
    : `InvalidCharacter { character: '${character}', index: ${index} }`;
}

function base64Fault(text: string): string | undefined {
  const symbols = text.replace(PADDING, '');
  const match = NOT_BASE64.exec(symbols);
  if (match !== null) return `InvalidByte(${match.index}, ${Buffer.from(text)[match.index]})`;
  if (symbols.length % 4 === 1) return `InvalidLength(${symbols.length})`;
  if (text.length % 4 !== 0) return 'InvalidPadding';
  if (Buffer.from(text, 'base64').toString('base64') === text) return undefined;
  const last = symbols.length - 1;
  return `InvalidLastSymbol(${last}, ${symbols.charCodeAt(last)})`;
}
