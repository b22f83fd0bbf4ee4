import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Check, Finding } from '../finding.ts';

const OTHERS = 0o077;
const part = 'data directory';
/** Belongs to the signer's user, if that has one. */
const OF_SIGNER = 'signer';

/** Checks that nothing in the data directory is open to other users. Changes nothing. */
export const checkDataDirectory: Check = async ({ config: { data_dir: dataDir } }) => {
  const found = await lstat(dataDir).catch(() => undefined);
  if (found === undefined)
    return {
      ...{ part, state: 'warning', detail: `${dataDir} does not exist` },
      remedy: 'the first start makes it; or name the right one with --data-dir or --config',
    };
  const faults = await faultsBelow(dataDir, found);
  return faults.length === 0
    ? { part, state: 'ok', detail: `${dataDir} is closed to other users` }
    : wrong(dataDir, faults);
};

function wrong(dataDir: string, faults: readonly string[]): Finding {
  const others = faults.length > 3 ? ` and ${faults.length - 3} more` : '';
  return {
    ...{ part, state: 'wrong', detail: `${faults.slice(0, 3).join('; ')}${others}` },
    remedy: `chown -R the directory to the user of the server and chmod -R go= ${dataDir}; others may have read what was open: make new keys and tokens`,
  };
}

async function faultsBelow(path: string, { mode, uid }: Stats): Promise<readonly string[]> {
  const faults: string[] = [];
  if ((mode & OTHERS) !== 0) faults.push(`${path} has the mode ${(mode & 0o777).toString(8)}`);
  const user = process.geteuid?.();
  if (user !== undefined && user !== 0 && uid !== user && uid !== 0)
    faults.push(`${path} belongs to user ${uid}`);
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  for (const entry of entries) {
    const entryPath = join(entry.parentPath, entry.name);
    const isSigners = entry.name === OF_SIGNER || entry.parentPath.endsWith(`/${OF_SIGNER}`);
    const found = isSigners ? undefined : await lstat(entryPath).catch(() => undefined);
    if (found === undefined) continue;
    if (found.isSymbolicLink()) faults.push(`${entryPath} is a symbolic link`);
    else if ((found.mode & OTHERS) !== 0 && !found.isSocket())
      faults.push(`${entryPath} has the mode ${(found.mode & 0o777).toString(8)}`);
  }
  return faults;
}
