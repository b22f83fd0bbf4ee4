import type { Store } from '../../../store/open-store.ts';
import type { InstallationKey } from '../../sealing/installation-key.ts';
import { createPasswordHash, type PasswordHash, type ScryptCost } from './hash-password.ts';

/** The parts that operations on members act on. */
export type MemberDeps = {
  readonly store: Store;
  readonly installationKey: InstallationKey;
  readonly passwords: PasswordHash;
};

/** The request that an operation belongs to. */
export type MemberRequest = {
  readonly requestId: string;
  /** Address of the client; undefined if unknown. */
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
  readonly nowMs: number;
};

/** Creates the parts. @param cost of a password; for tests. */
export function createMemberDeps(
  given: Pick<MemberDeps, 'store' | 'installationKey'>,
  cost?: ScryptCost,
): MemberDeps {
  return { ...given, passwords: createPasswordHash(cost) };
}
