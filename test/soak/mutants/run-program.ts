import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A test file that hangs ends then. */
const DEADLINE_MS = 600_000;

/** The exit code of a program of a package, and what it printed; a code that is null: it was ended after ten minutes. */
export type Ended = { readonly code: number | null; readonly output: string };

/** Runs a program of `node_modules` in a tree, on the Node of this process. */
export async function runProgram(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const { CI: _, KEYSLOT_TEST_THOROUGH: __, ...own } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: { ...own, ...env },
    timeout: DEADLINE_MS,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const parts: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => parts.push(part));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: Buffer.concat(parts).toString() };
}
