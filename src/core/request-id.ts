import { randomBytes } from 'node:crypto';
import { base58 } from '@scure/base';

const BYTES = 16;

/** Returns a unique name for a request, or for background work. */
export function createRequestId(): string {
  return `req_${base58.encode(randomBytes(BYTES))}`;
}
