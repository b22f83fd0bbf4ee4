import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The root of the project, and the Node that it pins. */
export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const NODE = join(ROOT, 'node_modules/.bin/node');

/** Packs the client, and installs the tarball in an empty folder, as a user without the registry would. @returns the folder. */
export async function installClient(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'keyslot-packed-'));
  const out = join(folder, 'dist');
  const pack = ['--import', 'tsx', 'codegen/pack/main.ts', 'client', '--out', out];
  const packed = await run(NODE, pack, { cwd: ROOT });
  await writeFile(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  const npm = ['install', '--offline', '--no-audit', '--no-fund', packed.stdout.trim()];
  await run('npm', npm, { cwd: folder });
  return folder;
}

/** Adds packages of the project, with their dependencies, to those installed in a folder. */
export async function lendPackages(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const path = join(folder, 'node_modules', name);
    await mkdir(dirname(path), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), path);
  }
}
