import type { AccountFilter, MemcmpFilter } from '../../../generated/ledger/types.ts';
import { readTokenAccount } from './token-layout.ts';
import { serviceError } from '../../core/service-error.ts';
import { decodeBase58 } from '../bytes/base58.ts';

/**
 * Compiles a filter of getProgramAccounts to a predicate on account data. Throws `invalidParam` for bytes that do not match their stated
 * encoding and `memcmpDataTooLarge` for more than 128 of them.
 */
export function compileFilter(filter: AccountFilter): (data: Uint8Array) => boolean {
  if (filter === 'tokenAccountState') return (data) => readTokenAccount(data) !== undefined;
  if ('dataSize' in filter) {
    const size = BigInt(filter.dataSize);
    return (data) => BigInt(data.length) === size;
  }
  const start = BigInt(filter.memcmp.offset);
  const expected = decodeMemcmp(filter.memcmp);
  return (data) => {
    if (start + BigInt(expected.length) > BigInt(data.length)) return false;
    const offset = Number(start);
    return expected.every((byte, index) => data[offset + index] === byte);
  };
}

/** Maximum number of bytes that a filter compares. */
const MAX_BYTES = 128;

const NOT_BASE58 = /[^1-9A-HJ-NP-Za-km-z]/u;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Returns the bytes of a memcmp filter. Numbers are the bytes themselves; text is base-58 unless the encoding is base64, even if it is
 * bytes. Throws `invalidParam` for text that cannot be decoded and `memcmpDataTooLarge` for more than 128 bytes.
 */
export function decodeMemcmp({ bytes, encoding }: MemcmpFilter['memcmp']): Uint8Array {
  const decoded =
    typeof bytes === 'string' ? decodeText(bytes, encoding === 'base64') : Uint8Array.from(bytes);
  if (decoded.length <= MAX_BYTES) return decoded;
  throw serviceError('memcmpDataTooLarge', { parameter: 'bytes', limit: MAX_BYTES, value: decoded.length });
}

function decodeText(text: string, isBase64: boolean): Uint8Array {
  if (isBase64) {
    if (!BASE64.test(text)) throw serviceError('invalidParam', { reason: 'Base64DecodeError' });
    return Buffer.from(text, 'base64');
  }
  const bad = NOT_BASE58.exec(text);
  if (bad === null) return decodeBase58(text);
  const place = `{ character: '${bad[0]}', index: ${bad.index} }`;
  throw serviceError('invalidParam', { reason: `Base58DecodeError(InvalidCharacter ${place})` });
}
