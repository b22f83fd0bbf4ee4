import { execFile } from 'node:child_process';
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './install-client.ts';

const run = promisify(execFile);
const CACHE = join(ROOT, 'node_modules/.cache/keyslot-other-node');

/** Another Node than the pinned one, from the npm registry, kept for the next run. @returns its path, or the reason why there is none. */
export async function otherNode(
  version: string,
): Promise<{ readonly path: string } | { readonly missing: string }> {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(CACHE, version);
  const path = join(folder, 'node_modules', name, 'bin/node');
  try {
    await access(path);
    return { path };
  } catch {
    // It is installed now.
  }
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'package.json'), '{ "private": true }');
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', `${name}@${version}`], {
      cwd: folder,
    });
    return { path };
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error);
    return { missing: `needs what this installs: npm install ${name}@${version} (${reason})` };
  }
}
