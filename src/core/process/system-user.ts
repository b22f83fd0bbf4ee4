import { execFileSync } from 'node:child_process';
import { serviceError } from '../service-error.ts';

/** A user of the machine. */
export type SystemUser = { readonly name: string; readonly uid: number; readonly gid: number };

/** Node has it (process.initgroups), its types do not. */
type ProcessWithGroups = { readonly initgroups?: (name: string, extraGroup: number) => void };

const LOOKUP_DEADLINE_MS = 5_000;

/**
 * Looks up a user by name, as the system knows it (NSS, not /etc/passwd alone).
 *
 * @throws ServiceError `invalidConfig` naming the setting if there is no such user, or it is root.
 */
export function findUser(setting: string, name: string): SystemUser {
  const ask = (option: '-u' | '-g'): number => {
    try {
      const options = { encoding: 'utf8', timeout: LOOKUP_DEADLINE_MS, stdio: 'pipe' } as const;
      return Number(execFileSync('id', [option, name], options));
    } catch (error) {
      throw serviceError(
        'invalidConfig',
        {
          problems: `${setting} is ${name}: there is no such user; create it, e.g. useradd --system ${name}`,
        },
        error,
      );
    }
  };
  const user = { name, uid: ask('-u'), gid: ask('-g') };
  if (user.uid === 0)
    throw serviceError('invalidConfig', {
      problems: `${setting} is ${name}, which is root: choose an unprivileged user`,
    });
  return user;
}

/**
 * Changes the user of this process, of all its threads and of everything it starts from now on, with the user's groups and no way back. For
 * root.
 *
 * @throws Error if the system refuses, or the process could become root again.
 */
export function becomeUser({ name, uid, gid }: SystemUser): void {
  const { initgroups } = process as ProcessWithGroups;
  if (initgroups === undefined)
    throw new Error('this system does not support changing the user of a process');
  initgroups(name, gid);
  process.setgid?.(gid);
  process.setuid?.(uid);
  if (process.getuid?.() !== uid || process.geteuid?.() !== uid || canBecomeRoot())
    throw new Error(`the process did not change to the user ${name} permanently`);
}

/** Runs work of root with the rights of a user, to files above all, and returns to those of root. Nothing else may run meanwhile. */
export async function withRightsOf<T>({ name, uid, gid }: SystemUser, work: () => Promise<T>): Promise<T> {
  const { initgroups } = process as ProcessWithGroups;
  const groups = process.getgroups?.() ?? [];
  const ownGid = process.getegid?.() ?? 0;
  initgroups?.(name, gid);
  process.setegid?.(gid);
  process.seteuid?.(uid);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(ownGid);
    process.setgroups?.(groups);
  }
}

function canBecomeRoot(): boolean {
  try {
    process.setuid?.(0);
    return true;
  } catch {
    return false;
  }
}
