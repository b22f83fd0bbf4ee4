import { type ServiceError, serviceError } from '../../base/service-error.ts';

/** A start that an operator has to mend. */
export function refuse(reason: string): ServiceError {
  return serviceError('signerNotStarted', { reason });
}

/** A signer's key as people compare it. */
export function nameOf(publicKey: Uint8Array): string {
  return Buffer.from(publicKey).toString('hex').slice(0, 16);
}
