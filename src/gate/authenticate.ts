import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import { serviceError } from '../service-error.ts';
import { presentedKey } from './presented-key.ts';

/** Whose request this is. */
export type Caller = { readonly keyId: string; readonly accountId: string };

export type Authenticate = (request: Pick<IncomingMessage, 'url' | 'headers'>) => Caller;

/** What is asked of a keyring: to answer from memory. */
export type KeyFinder = {
  find(
    presented: string,
    nowMs: number,
  ): ({ readonly kind: 'valid' } & Caller) | { readonly kind: 'unknown' | 'revoked' | 'expired' };
};

/**
 * The check of the API key, from memory. It looks at the address and the headers only, so that it can run before the
 * body is read. Throws ServiceError `apiKeyMissing`, `apiKeyUnknown`, `apiKeyRevoked` or
 * `apiKeyExpired`.
 */
export function createAuthenticate(keyring: KeyFinder, clock: Clock): Authenticate {
  return (request) => {
    const presented = presentedKey(request);
    if (presented === undefined) throw serviceError('apiKeyMissing');
    const finding = keyring.find(presented, clock.nowMs());
    switch (finding.kind) {
      case 'valid':
        return { keyId: finding.keyId, accountId: finding.accountId };
      case 'unknown':
        throw serviceError('apiKeyUnknown');
      case 'revoked':
        throw serviceError('apiKeyRevoked');
      case 'expired':
        throw serviceError('apiKeyExpired');
    }
    finding satisfies never;
    throw serviceError('internalError');
  };
}
