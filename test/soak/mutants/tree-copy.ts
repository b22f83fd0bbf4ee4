import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../../..');
/** The folders that `make` builds and tests use. */
const BUILT = ['dist/dashboard', 'generated/contract', 'generated/ledger/examples'];
const PACKAGES = 'node_modules';
const CACHE = '.cache';
/** Of the cache only this: what compiled code is kept there is of other files. */
const EMPTY_STORE = 'keyslot-empty-store-';

/**
 * Copies the files of this checkout to a temporary directory: those that are committed and those that may be, as they are now. Packages are
 * linked one by one, so that whatever a test caches next to them stays in the copy, which is deleted when the process ends.
 *
 * @returns the root of the copy.
 */
export function copyTree(): string {
  const root = mkdtempSync(join(tmpdir(), 'keyslot-mutants-'));
  process.once('exit', () => rmSync(root, { recursive: true, force: true }));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  for (const file of listFiles()) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(root, file));
  }
  for (const built of BUILT) cpSync(join(ROOT, built), join(root, built), { recursive: true });
  linkPackages(root);
  return root;
}

function listFiles(): readonly string[] {
  const args = ['-C', ROOT, 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', args, { maxBuffer: 2 ** 26 }).toString();
  return listed.split('\0').filter((file) => file !== '' && existsSync(join(ROOT, file)));
}

function linkPackages(root: string): void {
  const [from, to] = [join(ROOT, PACKAGES), join(root, PACKAGES)];
  mkdirSync(join(to, CACHE), { recursive: true });
  for (const name of readdirSync(from)) if (name !== CACHE) symlinkSync(join(from, name), join(to, name));
  for (const name of readdirSync(join(from, CACHE)))
    if (name.startsWith(EMPTY_STORE))
      cpSync(join(from, CACHE, name), join(to, CACHE, name), { recursive: true });
}
