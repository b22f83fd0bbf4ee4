import { createHash } from 'node:crypto';
import { cpSync, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import manifest from '../../package.json' with { type: 'json' };
import { openStore } from '../../src/store/open-store.ts';

/** Kept from run to run. */
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url));
const MIGRATIONS = new URL('../../src/store/migrations/', import.meta.url);

/**
 * Puts an embedded store as `openStore` makes it into a data directory, where none is: to make one takes seconds, to copy one does
 * not. For tests that are about something else.
 */
export async function prepareStore(dataDir: string): Promise<void> {
  const target = join(dataDir, 'store');
  if (existsSync(target)) return;
  // The synchronous one is several times as fast.
  cpSync(join(await templateOf(), 'store'), target, { recursive: true });
  await chmod(dataDir, 0o700);
}

/** A data directory with a store as these migrations and this PGlite make it; made by the first test that asks. */
async function templateOf(): Promise<string> {
  const template = join(CACHE, `keyslot-prepared-store-${await fingerprint()}`);
  if (existsSync(template)) return template;
  await mkdir(CACHE, { recursive: true });
  const draft = await mkdtemp(join(CACHE, 'keyslot-prepared-'));
  const store = await openStore({ dataDir: draft }, pino({ level: 'silent' }));
  await store.close();
  // Another test may have been as fast: one of the two stays.
  await rename(draft, template).catch(() => rm(draft, { recursive: true, force: true }));
  return template;
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  hash.update(manifest.dependencies['@electric-sql/pglite']);
  for (const name of (await readdir(MIGRATIONS)).filter((file) => file.endsWith('.sql')).sort()) {
    hash.update(await readFile(new URL(name, MIGRATIONS)));
  }
  return hash.digest('hex').slice(0, 16);
}
