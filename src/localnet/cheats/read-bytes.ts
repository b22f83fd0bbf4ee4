import { serviceError } from '../../core/service-error.ts';
import { decodeBytes } from '../../core/wire/encoded-bytes.ts';

/** The size of the largest account of a validator. */
const MAX_BYTES = 10_485_760;

/** Decodes the base-64 data of an account. @throws ServiceError invalidParam, accountDataTooLarge. */
export function readBytes(name: string, text: string): Uint8Array {
  const decoded = decodeBytes(text, 'base64');
  if (decoded.kind === 'fault')
    throw serviceError('invalidParam', { reason: `${name} is not base64: ${decoded.reason}` });
  return assertSize(name, decoded.bytes);
}

/** @throws ServiceError invalidParam for data that no account can have. */
export function assertSize(name: string, bytes: Uint8Array): Uint8Array {
  if (bytes.length > MAX_BYTES)
    throw serviceError('invalidParam', {
      reason: `${name} has ${bytes.length} bytes; an account has at most ${MAX_BYTES}`,
    });
  return bytes;
}
