import type { AccountFilter } from '../../../generated/ledger/types.ts';
import { serviceError } from '../../service-error.ts';
import { decodeBase58 } from '../bytes/base58.ts';
import { encodingFault } from '../transaction/decode-text.ts';

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
  const fault = encodingFault(bytes, decoder);
  if (fault !== undefined) {
    const kind = decoder === 'base64' ? 'Base64DecodeError' : 'Base58DecodeError';
    throw serviceError('invalidParam', { reason: `${kind}(${fault})` });
  }
  const value = decoder === 'base64' ? Buffer.from(bytes, 'base64').length : decodeBase58(bytes).length;
  if (value > MAX_BYTES)
    throw serviceError('memcmpDataTooLarge', { parameter: 'config.filters', limit: MAX_BYTES, value });
}
