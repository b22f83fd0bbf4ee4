import { accessSync, constants } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../../generated/config.ts';
import { isPackaged, programUrl } from '../core/program.ts';
import { serviceError } from '../core/service-error.ts';
import { startSignerKeeper } from '../signer/client/signer-keeper.ts';
import type { SignerLauncher } from '../signer/client/signer-launcher.ts';
import { assertRestored } from '../store/unfinished-restore.ts';
import { ownDirectory } from '../core/process/own-directory.ts';
import { becomeUser, findUser, type SystemUser } from '../core/process/system-user.ts';

type UserSettings = Pick<Config, 'gateway_user' | 'signer_user' | 'data_dir'>;
type Users = { readonly gateway: SystemUser; readonly signer: SystemUser };

const ROOT = 0;
/** Anyone who can change these can make the server, which root starts, do anything. */
const CODE = [
  ...['../..', '..', '../main.ts', '../../generated', '../../runtime', '../../node_modules'],
  // Where npm puts the packages that a package needs.
  ...(isPackaged ? ['../../..'] : []),
].map((path) => fileURLToPath(programUrl(new URL(path, import.meta.url))));

/** `serve` starts a signer, the commands of the signer may, others do not. */
export type Work = 'serve' | 'signer' | 'other';

/**
 * If the signer has its own user: creates the directories of both users, starts the process that launches signers, and switches
 * this process to the gateway's user. Nothing that keeps running is root's then. A command started by the gateway's user itself
 * continues as it is, without signers.
 *
 * @returns the launcher of signers under the other user; undefined without these users, where this process starts them itself.
 * @throws ServiceError `invalidConfig` if it was not started by root, a user or directory is not as required, or the gateway's
 *   user could change the server's code; `copyRefused` while a restore into the data directory is not finished; `signerNotStarted`.
 */
export async function enterGatewayUser(
  settings: UserSettings,
  work: Work,
): Promise<SignerLauncher | undefined> {
  assertRestored(resolve(settings.data_dir));
  const users = findUsers(settings);
  if (users === undefined) return undefined;
  const { gateway, signer } = users;
  if (work !== 'serve' && process.geteuid?.() === gateway.uid) return refusingLauncher(signer);
  assertRoot(users);
  const dataDir = resolve(settings.data_dir);
  const directory = join(dataDir, 'signer');
  await ownDirectory(dataDir, gateway);
  await ownDirectory(directory, signer);
  const launcher = work === 'other' ? refusingLauncher(signer) : await startSignerKeeper(directory, signer);
  becomeUser(gateway);
  assertGatewayUser(dataDir, gateway);
  return launcher;
}

/**
 * Checks what the gateway's user, who runs this, can reach and change: an existing data directory, and none of the code.
 *
 * @throws ServiceError `invalidConfig`.
 */
export function assertGatewayUser(dataDir: string, gateway: SystemUser): void {
  assertReached(dataDir, gateway);
  assertCodeIsNot(gateway);
}

/** Switches this process to the signer's user, if there is one. @throws ServiceError `invalidConfig`. */
export function enterSignerUser(settings: UserSettings): void {
  const users = findUsers(settings);
  if (users === undefined || process.geteuid?.() === users.signer.uid) return;
  assertRoot(users);
  becomeUser(users.signer);
}

/**
 * The users that files of an installation belong to, for root, who reads or writes those of both.
 *
 * @returns undefined if gateway and signer have no users of their own.
 * @throws ServiceError `invalidConfig` if they have, and this is not root.
 */
export function findReadingUsers(settings: UserSettings): Users | undefined {
  const users = findUsers(settings);
  if (users !== undefined) assertRoot(users);
  return users;
}

function refusingLauncher({ name }: SystemUser): SignerLauncher {
  return {
    directory: '.',
    launch: () => {
      throw serviceError('signerNotStarted', { reason: `only root can start it as ${name}` });
    },
  };
}

function findUsers({ gateway_user: gateway, signer_user: signer }: UserSettings): Users | undefined {
  if (gateway === undefined || signer === undefined) return undefined;
  return {
    gateway: findUser('gateway_user (KEYSLOT_GATEWAY_USER)', gateway),
    signer: findUser('signer_user (KEYSLOT_SIGNER_USER)', signer),
  };
}

function assertRoot({ gateway, signer }: Users): void {
  const uid = process.geteuid?.();
  if (uid === ROOT) return;
  throw refuse(
    `gateway_user is ${gateway.name} and signer_user ${signer.name}: only root can start processes of both, and this one is user ${uid ?? 'unknown'}`,
  );
}

function assertReached(dataDir: string, { name }: SystemUser): void {
  try {
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw refuse(
      `${dataDir} cannot be reached by ${name} (${error instanceof Error ? error.message : String(error)}): a parent directory denies access to that user`,
    );
  }
}

function assertCodeIsNot({ name }: SystemUser): void {
  for (const path of [...CODE, process.execPath]) {
    try {
      accessSync(path, constants.W_OK);
    } catch {
      continue;
    }
    throw refuse(
      `${name} can change ${path}, which root starts: give the code to root (chown -R root), closed to writing by others`,
    );
  }
}

const refuse = (problems: string): Error => serviceError('invalidConfig', { problems });
