import type { AccountFilter } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../core/service-error.ts';
import { decodeBytes } from '../../core/wire/encoded-bytes.ts';

const MAX_BYTES = 128;

/**
 * Refuses a memcmp filter whose text cannot be decoded or is too long, whether or not there are accounts to compare.
 *
 * @throws ServiceError invalidParam, memcmpDataTooLarge.
 */
export function assertFilter(filter: AccountFilter): void {
  if (typeof filter === 'string' || !('memcmp' in filter)) return;
  const { bytes, encoding } = filter.memcmp;
  if (typeof bytes !== 'string') return;
  const decoder = encoding === 'base64' ? 'base64' : 'base58';
  const decoded = decodeBytes(bytes, decoder);
  if (decoded.kind === 'fault') {
    const kind = decoder === 'base64' ? 'Base64DecodeError' : 'Base58DecodeError';
    throw serviceError('invalidParam', { reason: `${kind}(${decoded.reason})` });
  }
  const value = decoded.bytes.length;
  if (value > MAX_BYTES)
    throw serviceError('memcmpDataTooLarge', { parameter: 'config.filters', limit: MAX_BYTES, value });
}
