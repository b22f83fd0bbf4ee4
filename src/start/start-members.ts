import type { Logger } from 'pino';
import type { AccountPlane } from '../account/account-plane.ts';
import type { Keyring } from '../account/keyring.ts';
import { createMemberDeps, type MemberDeps } from '../account/members/member-deps.ts';
import { createSessionCredentials, type SessionCredentials } from '../account/members/session-credentials.ts';
import type { Clock } from '../base/clock.ts';
import type { PrioritizedStore } from '../store/open-store.ts';

/** What members and their sessions are served by. */
export type Members = { readonly members: MemberDeps; readonly credentials: SessionCredentials };

export type MembersParts = {
  readonly store: PrioritizedStore;
  readonly account: Pick<AccountPlane, 'installationKey' | 'tokens'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
};

/** Opens them. `credentials` are to be closed before the store is. */
export function startMembers({ store, account, keyring, clock, log }: MembersParts): Members {
  const { installationKey, tokens } = account;
  return {
    members: createMemberDeps({ store: store.lowPriority, installationKey }),
    credentials: createSessionCredentials({ store, keyring, tokens, clock, log }),
  };
}
