import type { Clock } from '../../core/clock.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';

/** The part of a keyring that is asked about the key of an open connection. */
export type KeyStanding = {
  standingOf(keyId: string, nowMs: number): 'valid' | 'revoked' | 'expired' | 'unknown';
};

/** Creates a check that returns the reason why an admitted key is no longer valid; undefined while it is. */
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
