import { serviceError } from '../../core/service-error.ts';
import type { ByteEncoding } from '../../core/wire/encoded-bytes.ts';

/**
 * Returns the encoding of a transaction that a config names: base-58 if it names none, and under its old name `binary`.
 *
 * @throws ServiceError `unsupportedEncoding`.
 */
export function readWireEncoding(config: unknown): ByteEncoding {
  const encoding =
    typeof config === 'object' && config !== null && 'encoding' in config ? config.encoding : undefined;
  if (encoding === undefined || encoding === null || encoding === 'base58' || encoding === 'binary')
    return 'base58';
  if (encoding === 'base64') return 'base64';
  throw serviceError('unsupportedEncoding', { parameter: 'config.encoding', value: String(encoding) });
}
