import type { Keyring } from '../../account/identity/api-keys/keyring.ts';
import type { RequestSource } from '../../account/identity/api-keys/key-rules.ts';
import type { Clock } from '../../core/clock.ts';
import type { Subscriber } from '../../core/rpc/notification.ts';
import { type ServiceError, serviceError } from '../../core/service-error.ts';
import { methodRefusal } from './with-allowed-methods.ts';

/** The parts of the check of the keys of open connections. */
export type KeyCheckDeps = {
  readonly keyring: Pick<Keyring, 'standingOf' | 'callRulesOf'>;
  readonly clock: Clock;
  /** Returns the subscribe methods of a connection's subscriptions. */
  readonly namesOf: (subscriber: Subscriber) => Iterable<string>;
};

/** The key of an open connection, and where it was opened from. */
export type ConnectedKey = { readonly keyId: string; readonly source: RequestSource };

/** Creates a check that returns the reason why an open connection must end: its key no longer allows it. Undefined while it does. */
export function createKeyCheck({ keyring, clock, namesOf }: KeyCheckDeps) {
  return ({ keyId, source }: ConnectedKey, subscriber: Subscriber): ServiceError | undefined => {
    const standing = keyring.standingOf(keyId, clock.nowMs(), source);
    switch (standing) {
      case 'valid': {
        const rules = keyring.callRulesOf(keyId);
        if (rules?.methods === undefined) return undefined;
        for (const name of namesOf(subscriber)) {
          const refusal = methodRefusal(rules, name);
          if (refusal !== undefined) return refusal;
        }
        return undefined;
      }
      case 'expired':
        return serviceError('apiKeyExpired');
      case 'revoked':
      case 'unknown':
        return serviceError('apiKeyRevoked');
      default:
        return serviceError(standing);
    }
  };
}
