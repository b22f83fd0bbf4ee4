import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
/** The Node that the project pins, whatever Node runs the tests. */
export const NODE = resolve(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin/node');
/** Most children live for seconds: to optimize the code of PGlite takes longer than it saves. */
const SHORT_LIVED = ['--liftoff-only'];
const STOP_DEADLINE_MS = 60_000;

export type NodeProcess = {
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Its end, as text; undefined while it runs. */
  readonly ended: () => string | undefined;
  /** Asks it to stop (SIGTERM) and resolves when it has ended; kills it after a minute. */
  readonly stop: () => Promise<void>;
};

export type NodeOptions = {
  /** True: as it runs for users, where its times are compared. */
  readonly isOptimized?: boolean | undefined;
  /** The number of files that it may open, if fewer than this process. */
  readonly openFiles?: number | undefined;
  /** The root of another checkout, whose script and Node are run. */
  readonly root?: string | undefined;
};

/** Starts a script of this project on the pinned Node. The child sees only `env`, PATH and HOME. */
export function startNode(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  { openFiles, isOptimized = false, root = ROOT }: NodeOptions = {},
): NodeProcess {
  const { PATH = '', HOME = '' } = process.env;
  const flags = isOptimized ? [] : SHORT_LIVED;
  const command = [root === ROOT ? NODE : join(root, 'node_modules/node/bin/node'), ...flags, ...args];
  const limited = openFiles === undefined ? [] : ['sh', '-c', `ulimit -n ${openFiles} && exec "$0" "$@"`];
  const [program = NODE, ...given] = [...limited, ...command];
  const child = spawn(program, given, {
    cwd: root,
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (child.pid === undefined) throw new Error(`cannot start ${NODE}`);
  let stdout = '';
  let stderr = '';
  let end: string | undefined;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const closed = new Promise<void>((done) => {
    child.once('close', (code, signal) => {
      process.off('exit', killWithParent);
      end = signal === null ? `exit code ${code}` : `signal ${signal}`;
      done();
    });
  });
  const killWithParent = (): boolean => child.kill('SIGKILL');
  process.once('exit', killWithParent);
  const stop = async (): Promise<void> => {
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_DEADLINE_MS);
    child.kill('SIGTERM');
    await closed;
    clearTimeout(killer);
  };
  return { pid: child.pid, stdout: () => stdout, stderr: () => stderr, ended: () => end, stop };
}
