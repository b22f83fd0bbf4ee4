import { createSecretKey, hkdfSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { serviceError } from '../../core/service-error.ts';
import { assertPreparable, prepareDataDirectory } from '../../store/data-directory.ts';
import { withDataDirectory } from '../../store/store-errors.ts';

/** Purposes that keys are derived for. */
export type KeyPurpose =
  | 'idempotency fingerprints'
  | 'two-factor secrets'
  | 'backup codes'
  | 'sign-in attempts'
  | 'session cookies'
  | 'lab reports'
  | 'webhook secrets'
  | 'outgoing mail'
  | 'names of readers'
  | 'shared blocks';

/** The secret of an installation. It is never printed and used only through derived keys. */
export type InstallationKey = {
  /** The file it was read from. */
  readonly path: string;
  /** Derives 32 bytes for one purpose, always the same (HKDF-SHA256, RFC 5869). */
  readonly derive: (purpose: KeyPurpose) => KeyObject;
};

export type InstallationKeyLocation = {
  readonly dataDir: string;
  /** The setting `installation_key_file`. */
  readonly file?: string | undefined;
};

const KEY_BYTES = 32;
const TEXT = /^[0-9a-fA-F]{64}\n?$/;

/**
 * Reads the installation key from the file in the setting, or from `<dataDir>/installation.key`, which is created (mode 0600) if it is
 * missing. Processes that create it at the same time all get the same key.
 *
 * @throws ServiceError `invalidConfig`, naming the file, when it cannot be read or does not hold 64 hexadecimal digits;
 *   `storeUnavailable`, with what to do, when it cannot be created.
 */
export async function loadInstallationKey({
  dataDir,
  file,
}: InstallationKeyLocation): Promise<InstallationKey> {
  const path = file ?? join(dataDir, 'installation.key');
  if (file === undefined) await ensureFile(dataDir, path);
  try {
    return holdKey(path, await readFile(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('invalidConfig', { problems: `the installation key ${path}: ${reason}` }, error);
  }
}

/** Checks, without creating anything, that `loadInstallationKey` would have a key. @throws ServiceError like it. */
export async function checkInstallationKeyFile({ dataDir, file }: InstallationKeyLocation): Promise<void> {
  const path = file ?? join(dataDir, 'installation.key');
  if (file !== undefined || existsSync(path)) await loadInstallationKey({ dataDir, file: path });
  else await withDataDirectory(dataDir, `the installation key ${path}`, () => assertPreparable(dataDir));
}

function holdKey(path: string, text: string): InstallationKey {
  if (!TEXT.test(text)) throw new Error('must be 64 hexadecimal digits');
  const root = Buffer.from(text.trim(), 'hex');
  const derived = new Map<KeyPurpose, KeyObject>();
  return {
    path,
    derive: (purpose) => {
      const known = derived.get(purpose);
      if (known !== undefined) return known;
      const bytes = Buffer.from(hkdfSync('sha256', root, '', `keyslot ${purpose}`, KEY_BYTES));
      const key = createSecretKey(bytes);
      bytes.fill(0);
      derived.set(purpose, key);
      return key;
    },
  };
}

/** Writes the key to another file and links it: the file appears whole, and an existing one stays. */
async function ensureFile(dataDir: string, path: string): Promise<void> {
  if ((await readFile(path).catch(ignoreMissing)) !== undefined) return;
  await withDataDirectory(dataDir, `the installation key ${path}`, async () => {
    await prepareDataDirectory(dataDir);
    await createFile(path);
  });
}

async function createFile(path: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  const handle = await open(draft, 'wx', 0o600);
  try {
    await handle.writeFile(`${randomBytes(KEY_BYTES).toString('hex')}\n`);
    await handle.sync();
    await handle.close();
    await link(draft, path).catch(ignoreExisting);
  } finally {
    await handle.close();
    await rm(draft, { force: true });
  }
}

function ignoreMissing(error: unknown): undefined {
  return ignore(error, 'ENOENT');
}

function ignoreExisting(error: unknown): undefined {
  return ignore(error, 'EEXIST');
}

function ignore(error: unknown, code: string): undefined {
  if (!(error instanceof Error) || !('code' in error) || error.code !== code) throw error;
  return undefined;
}
