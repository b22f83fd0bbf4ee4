import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { eventually } from '../../src/core/eventually.ts';
import { hooksOf, type SharedBy, useNewDirectory } from '../support/new-directory.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { prepareStore } from '../support/prepared-store.ts';

/** For a process that hangs. How long it takes to start is the machine's affair. */
const DEADLINE_MS = 60_000;

export type Outcome = { readonly end: string; readonly stdout: string; readonly stderr: string };

export type Served = {
  readonly server: NodeProcess;
  /** Sends a body with a key. */
  readonly post: (key: string, body: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
};

/** Commands and servers on a data directory that each test has for itself, or a group of tests; all are stopped after it, the last one first. */
export function useCommands(sharedBy: SharedBy = 'test') {
  const directory = useNewDirectory(sharedBy);
  const running: { stop: () => Promise<void> }[] = [];
  hooksOf(sharedBy).after(async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  });

  const environment = () => ({
    KEYSLOT_DATA_DIR: directory(),
    KEYSLOT_HTTP_PORT: '0',
    KEYSLOT_GRPC_PORT: '0',
  });

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): NodeProcess => {
    const child = startNode(['src/main.ts', ...args], { ...environment(), ...env });
    running.push(child);
    return child;
  };

  /** Runs a command in a process of its own, for what only a process shows. */
  const runAlone = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> => {
    const child = start(args, env);
    const end = await eventually('the command has ended', child.ended, { timeoutMs: DEADLINE_MS });
    return { end, stdout: child.stdout(), stderr: child.stderr() };
  };

  /** Runs a command in this process, where what it needs is loaded already. */
  const run = async (...args: readonly string[]): Promise<Outcome> => {
    const out: string[] = [];
    const error: string[] = [];
    const code = await runCommandLine(args, {
      env: environment(),
      writeOut: (text) => void out.push(text),
      writeError: (text) => void error.push(text),
    });
    return { end: `exit code ${code}`, stdout: out.join(''), stderr: error.join('') };
  };

  /** Runs a command that must succeed; what it prints as JSON. */
  const json = async <T>(...args: readonly string[]): Promise<T> => printedBy(await run(...args, '--json'));

  const newNode = async (): Promise<ScriptedNode> => {
    const node = await startScriptedNode();
    running.push({ stop: node.close });
    return node;
  };

  const serve = async (
    env: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): Promise<Served> => {
    if (env.KEYSLOT_DATABASE_URL === undefined) prepareStore(directory());
    const server = start(['serve', '--json', '--log-level', 'trace', ...args], env);
    const line = await eventually(
      'the server says where it serves',
      () => {
        if (server.ended() !== undefined) throw new Error(`ended with ${server.ended()}: ${server.stderr()}`);
        return server.stdout().includes('\n') ? server.stdout() : undefined;
      },
      { timeoutMs: DEADLINE_MS },
    );
    const { base_url, rpc_paths } = JSON.parse(line) as { base_url: string; rpc_paths: string[] };
    const post: Served['post'] = (key, body, headers = {}) =>
      fetch(`${base_url}${rpc_paths[0]}?apikey=${key}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    return { server, post };
  };
  const atEnd = (stop: () => Promise<void>): void => void running.push({ stop });
  return { directory, start, runAlone, run, json, newNode, serve, atEnd };
}

/** The JSON output of a command. @throws Error where it did not succeed. */
export function printedBy<T>({ end, stdout, stderr }: Outcome): T {
  if (end !== 'exit code 0') throw new Error(`${end}: ${stderr}`);
  return JSON.parse(stdout) as T;
}
