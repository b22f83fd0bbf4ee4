import type { Logger } from 'pino';
import type { AccountPlane } from '../account/account-plane.ts';
import type { Keyring } from '../account/keyring.ts';
import { createMemberDeps, type MemberDeps } from '../account/members/member-deps.ts';
import { openSessionCredentials, type SessionCredentials } from '../account/members/session-credentials.ts';
import type { Clock } from '../base/clock.ts';
import type { PrioritizedStore } from '../store/open-store.ts';

/** What members and their sessions are served by. */
export type Members = { readonly members: MemberDeps; readonly credentials: SessionCredentials };

export type MembersParts = {
  readonly store: PrioritizedStore;
  readonly account: Pick<AccountPlane, 'installationKey' | 'tokens' | 'ownerId'>;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'error'>;
};

/** Opens them. `credentials` are to be closed before the store is. */
export async function startMembers({ store, account, keyring, clock, log }: MembersParts): Promise<Members> {
  const { installationKey, tokens, ownerId: ownId } = account;
  return {
    members: createMemberDeps({ store: store.lowPriority, installationKey }),
    credentials: await openSessionCredentials({ store, ownId, keyring, tokens, clock, log }),
  };
}
