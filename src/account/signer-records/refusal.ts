import { type ServiceError, serviceError } from '../../core/service-error.ts';

/** Returns the error for a start that an operator has to fix. */
export function refuse(reason: string): ServiceError {
  return serviceError('signerNotStarted', { reason });
}

/** Returns a signer's key in the form that people compare. */
export function nameOf(publicKey: Uint8Array): string {
  return Buffer.from(publicKey).toString('hex').slice(0, 16);
}
