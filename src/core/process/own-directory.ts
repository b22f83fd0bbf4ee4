import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { serviceError } from '../service-error.ts';
import type { SystemUser } from './system-user.ts';

/**
 * Creates a directory of a user with mode 0700 if it does not exist. An existing one must belong to that user: root never changes the owner
 * of anything that another user may have put there. Its parent must exist.
 *
 * @throws ServiceError `invalidConfig` with what to do.
 */
export async function ownDirectory(path: string, owner: SystemUser): Promise<void> {
  const isNew = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false;
      throw refuse(`${path} cannot be created: ${error.message}`, error);
    },
  );
  await assertOwner(path, owner, isNew);
}

/**
 * Checks that a directory belongs to a user; one that is new is given to that user before.
 *
 * @throws ServiceError `invalidConfig` with what to do.
 */
export async function assertOwner(path: string, owner: SystemUser, isNew = false): Promise<void> {
  // Uses a descriptor: the checked directory is the one that is changed, and links are not followed.
  const directory = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(
    (error: Error) => {
      throw refuse(`${path} cannot be opened: ${error.message}`, error);
    },
  );
  try {
    if (isNew) await directory.chown(owner.uid, owner.gid);
    const { uid } = await directory.stat();
    if (uid === owner.uid) return;
    throw refuse(
      `${path} belongs to user ${uid} and must belong to ${owner.name} (${owner.uid}): stop the server, then chown -R ${owner.name}: ${path}`,
    );
  } finally {
    await directory.close();
  }
}

const refuse = (problems: string, cause?: unknown): Error =>
  serviceError('invalidConfig', { problems }, cause);
