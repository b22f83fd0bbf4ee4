import type { Clock } from '../base/clock.ts';
import { type ServiceError, serviceError } from '../base/service-error.ts';

/** What is asked of a keyring about a key whose connection is open. */
export type KeyStanding = {
  standingOf(keyId: string, nowMs: number): 'valid' | 'revoked' | 'expired' | 'unknown';
};

/** Says why a key that was let in is not served any more; undefined while it is. */
export function createKeyCheck(
  keyring: KeyStanding,
  clock: Clock,
): (keyId: string) => ServiceError | undefined {
  return (keyId) => {
    const standing = keyring.standingOf(keyId, clock.nowMs());
    if (standing === 'valid') return undefined;
    return serviceError(standing === 'expired' ? 'apiKeyExpired' : 'apiKeyRevoked');
  };
}
