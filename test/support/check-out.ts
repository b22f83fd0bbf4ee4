import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

/** An older version of this project. */
export type CheckedOut = { readonly root: string; readonly commit: string; readonly subject: string };

const ROOT = resolve(import.meta.dirname, '../..');
const ARCHIVE_BYTES = 512 * 1024 * 1024;

/**
 * Puts a revision of the history below `dist/revisions`, with its packages: those of this checkout where the lockfile is the same, or else
 * by `npm ci`. A folder of an earlier run is used again.
 *
 * @throws Error that says what is missing, where the history has no such revision.
 */
export async function checkOut(revision: string, onProgress: (step: string) => void): Promise<CheckedOut> {
  const commit = findCommit(revision);
  const subject = git('log', '-1', '--format=%s', commit).toString().trim();
  const root = join(ROOT, 'dist/revisions', commit);
  if (existsSync(root)) return { root, commit, subject };
  onProgress(`checking out ${commit.slice(0, 8)} (${subject})`);
  const draft = `${root}.draft`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const archive = join(draft, 'archive.tar');
  await writeFile(archive, git('archive', '--format=tar', commit));
  execFileSync('tar', ['-xf', archive, '-C', draft]);
  await rm(archive);
  const lockOf = (directory: string): string => readFileSync(join(directory, 'package-lock.json'), 'utf8');
  if (lockOf(draft) === lockOf(ROOT)) await symlink(join(ROOT, 'node_modules'), join(draft, 'node_modules'));
  else {
    onProgress('installing its packages: its lockfile is another');
    execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: draft,
      stdio: 'inherit',
    });
  }
  await rename(draft, root);
  return { root, commit, subject };
}

function findCommit(revision: string): string {
  try {
    return git('rev-parse', '--verify', '--quiet', `${revision}^{commit}`).toString().trim();
  } catch {
    const isShallow =
      existsSync(join(ROOT, '.git')) && git('rev-parse', '--is-shallow-repository').toString().trim();
    throw new Error(
      isShallow === false
        ? 'this is no checkout of the repository: older revisions are in its history'
        : `the history has no revision ${JSON.stringify(revision)}${isShallow === 'true' ? '; it is shallow: git fetch --unshallow' : ''}`,
    );
  }
}

function git(...args: readonly string[]): Buffer {
  return execFileSync('git', ['-C', ROOT, ...args], {
    maxBuffer: ARCHIVE_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
}
