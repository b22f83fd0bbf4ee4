import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type InstallationKey, loadInstallationKey } from '../../src/account/sealing/installation-key.ts';

/** An installation key of its own; nothing is left of it on disk. */
export async function newInstallationKey(): Promise<InstallationKey> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-key-'));
  const key = await loadInstallationKey({ dataDir });
  await rm(dataDir, { recursive: true });
  return key;
}
