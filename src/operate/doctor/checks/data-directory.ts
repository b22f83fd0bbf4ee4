import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../../../generated/config.ts';
import { findUser } from '../../../core/process/system-user.ts';
import type { Check, Finding } from '../finding.ts';

const OTHERS = 0o077;
const part = 'data directory';
/** Belongs to the signer's user, if that has one. */
const OF_SIGNER = 'signer';

type Settings = Pick<Config, 'data_dir' | 'signer_user'>;
/** Problems, and a remark on the signer's directory if it belongs to another user, as it should. */
type Found = { readonly faults: readonly string[]; readonly remark: string };

/**
 * Checks that nothing in the data directory is open to other users. The signer's directory may belong to its own user, whose files this
 * one cannot read: then only its owner and mode are checked. Changes nothing.
 */
export const checkDataDirectory: Check = async ({ config }) => {
  const { data_dir: dataDir } = config;
  const found = await lstat(dataDir).catch(() => undefined);
  if (found === undefined)
    return {
      part,
      state: 'warning',
      detail: `${dataDir} does not exist`,
      remedy: 'the first start creates it; or name the right one with --data-dir or --config',
    };
  const signer = await ofSigner(config, found);
  const faults = [...ofDirectory(dataDir, found), ...(await faultsBelow(dataDir, signer)), ...signer.faults];
  return faults.length === 0
    ? { part, state: 'ok', detail: `${dataDir} is closed to other users${signer.remark}` }
    : wrong(dataDir, faults, signer.remark);
};

function wrong(dataDir: string, faults: readonly string[], remark: string): Finding {
  const others = faults.length > 3 ? ` and ${faults.length - 3} more` : '';
  const except =
    remark === '' ? '' : `, except ${join(dataDir, OF_SIGNER)}, which stays with the user of the signer`;
  return {
    part,
    state: 'wrong',
    detail: `${faults.slice(0, 3).join('; ')}${others}${remark}`,
    remedy: `give the directory and everything in it to the user of the server (chown)${except}, and run chmod -R go= ${dataDir}; other users may have read it: replace keys and tokens`,
  };
}

function ofDirectory(path: string, { mode, uid }: Stats): readonly string[] {
  const faults: string[] = [];
  if ((mode & OTHERS) !== 0) faults.push(hasMode(path, mode));
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0 && uid !== user && uid !== 0)
    faults.push(`${path} belongs to user ${uid}`);
  return faults;
}

async function ofSigner({ data_dir: dataDir, signer_user: name }: Settings, parent: Stats): Promise<Found> {
  const path = join(dataDir, OF_SIGNER);
  const found = await lstat(path).catch(() => undefined);
  const user = name === undefined ? undefined : findUser('signer_user (KEYSLOT_SIGNER_USER)', name);
  if (found === undefined || !found.isDirectory() || (user === undefined && found.uid === parent.uid))
    return { faults: [], remark: '' };
  const faults = (found.mode & OTHERS) === 0 ? [] : [hasMode(path, found.mode)];
  const remark = `; ${path} belongs to ${user?.name ?? `user ${found.uid}`}, the user of the signer, and was not checked inside`;
  if (user === undefined || user.uid === found.uid) return { faults, remark };
  faults.push(
    `${path} belongs to user ${found.uid} and must belong to ${user.name}: chown -R ${user.name}: ${path}`,
  );
  return { faults, remark: `; ${path} was not checked inside` };
}

async function faultsBelow(path: string, signer: Found): Promise<readonly string[]> {
  const faults: string[] = [];
  const directories = [path];
  for (let at = directories.pop(); at !== undefined; at = directories.pop()) {
    for (const name of await namesIn(at)) {
      const entryPath = join(at, name);
      if (at === path && name === OF_SIGNER && signer.remark !== '') continue;
      const found = await lstat(entryPath).catch(() => undefined);
      if (found === undefined) continue;
      if (found.isDirectory()) directories.push(entryPath);
      if (found.isSymbolicLink()) faults.push(`${entryPath} is a symbolic link`);
      else if ((found.mode & OTHERS) !== 0 && !found.isSocket()) faults.push(hasMode(entryPath, found.mode));
    }
  }
  return faults;
}

/** A directory may be removed during the check. */
async function namesIn(directory: string): Promise<readonly string[]> {
  return readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

const hasMode = (path: string, mode: number): string => `${path} has the mode ${(mode & 0o777).toString(8)}`;
