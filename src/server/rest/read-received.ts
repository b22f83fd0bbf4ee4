import type { IncomingHttpHeaders } from 'node:http';
import {
  isHeaderValue,
  type OperationEntry,
  type OperationId,
  OPERATIONS,
} from '../../../generated/wallets/operations.ts';
import { type ServiceError, serviceError } from '../../base/service-error.ts';

/**
 * Reads X-Wallets-Received: how many wallets of an earlier request with the same Idempotency-Key arrived. Undefined without it,
 * and for operations that do not take it.
 *
 * @throws ServiceError `walletsReceivedInvalid`.
 */
export function readReceived(
  operation: OperationId,
  headers: IncomingHttpHeaders,
  body: object | undefined,
): number | undefined {
  const entry: OperationEntry = OPERATIONS[operation];
  const text = headers['x-wallets-received'];
  if (typeof text !== 'string' || !entry.headers.includes('X-Wallets-Received')) return undefined;
  if (!isHeaderValue('X-Wallets-Received', text))
    throw invalid('expected a whole number from 0, of at most 10 digits');
  if (headers['idempotency-key'] === undefined)
    throw invalid('the Idempotency-Key of the earlier request is missing');
  if (isManaged(body)) throw invalid('managed custody does not use it; repeat the request without it');
  return Number(text);
}

function isManaged(body: object = {}): boolean {
  return ('custody' in body && body.custody === 'managed') || 'master_wallet_id' in body;
}

function invalid(reason: string): ServiceError {
  return serviceError('walletsReceivedInvalid', { reason });
}
