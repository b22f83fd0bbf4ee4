import type { Store } from '../../store/open-store.ts';
import type { InstallationKey } from '../installation-key.ts';
import { type Auth, createAuth } from './auth.ts';
import { createPasswordHash, type PasswordHash, type ScryptCost } from './hash-password.ts';

/** The parts that operations on members act on. */
export type MemberDeps = {
  readonly store: Store;
  readonly installationKey: InstallationKey;
  readonly passwords: PasswordHash;
  readonly auth: Auth;
};

/** The request that an operation belongs to. */
export type MemberRequest = {
  readonly requestId: string;
  /** Address of the client; undefined if unknown. */
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly nowMs: number;
};

/** Creates the parts. Nothing is loaded or read before the first sign-in. @param cost of a password; for tests. */
export function createMemberDeps(
  given: Pick<MemberDeps, 'store' | 'installationKey'>,
  cost?: ScryptCost,
): MemberDeps {
  const passwords = createPasswordHash(cost);
  return { ...given, passwords, auth: createAuth({ ...given, passwords }) };
}
