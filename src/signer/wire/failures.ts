import type { ErrorName } from '../../../generated/errors.ts';
import { ServiceError, serviceError, toServiceError } from '../../core/service-error.ts';
import { ByteReader } from './byte-reader.ts';
import { ByteWriter } from './byte-writer.ts';
import { MAX_TEXT_BYTES } from '../limits.ts';

/** The outcome of a successful request. Others are failures, by their index in the list. */
export const SUCCEEDED = 0;

const FAILURES: readonly ErrorName[] = [
  'keyBackendFailed',
  'walletNotFound',
  'deriveNotSupported',
  'signerNotStarted',
  'invalidCommand',
  'signerUnavailable',
  'dataDirectoryLocked',
  'tokenPinRefused',
];

/** Encodes a failure as an answer: its kind, and the reason for the operator. */
export function encodeFailure(error: unknown): { readonly code: number; readonly payload: Buffer } {
  const failure = toServiceError(error);
  const known = FAILURES.indexOf(failure.code);
  const text = Buffer.from(reasonOf(failure)).subarray(0, MAX_TEXT_BYTES);
  return { code: SUCCEEDED + 1 + Math.max(known, 0), payload: new ByteWriter().bytes(text).done() };
}

/** Decodes the failure in an answer; its reason is internal, unless it concerns a start or a command. */
export function decodeFailure(code: number, payload: Buffer): ServiceError {
  const name = FAILURES[code - SUCCEEDED - 1] ?? 'keyBackendFailed';
  const reason = new ByteReader(payload).text(MAX_TEXT_BYTES);
  switch (name) {
    case 'signerNotStarted':
    case 'tokenPinRefused':
    case 'invalidCommand':
      return serviceError(name, { reason });
    case 'dataDirectoryLocked':
      return serviceError('signerNotStarted', { reason });
    default:
      return new ServiceError(name, {}, new Error(reason));
  }
}

/** Returns the innermost message, or the error's own if it is for the operator. */
function reasonOf(error: ServiceError): string {
  if (typeof error.context.reason === 'string') return error.context.reason;
  return causes(error.cause).join(': ') || error.message;
}

function causes(error: unknown): readonly string[] {
  return error instanceof Error ? [error.message, ...causes(error.cause)] : [];
}
