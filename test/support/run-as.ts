import { spawnSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { NODE } from './node-process.ts';

/** A user that owns nothing. */
export const NOBODY = 65_534;
export const NOT_ROOT = 'what another user can do is tried by root only: run the tests as root';

/** Runs the project's Node as another user, which only root can do, and waits for its end. */
export function runAs(
  user: number,
  args: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): { readonly code: number | null; readonly output: string; readonly error: string } {
  const { PATH = '' } = process.env;
  const { status, stdout, stderr } = spawnSync(NODE, args, {
    uid: user,
    gid: user,
    env: { PATH, ...variables },
    cwd: '/',
    encoding: 'utf8',
  });
  return { code: status, output: stdout, error: stderr };
}

/** Lets other users pass through the directory of this run to those that tests open to them; its names stay hidden. */
export function allowTraversal(): void {
  chmodSync(tmpdir(), 0o711);
}
