import { afterEach } from 'vitest';
import { type ScriptedNode, startScriptedNode } from '../server/scripted-node.ts';
import { eventually } from '../support/eventually.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { prepareStore } from '../support/prepared-store.ts';

export type Outcome = { readonly end: string; readonly stdout: string; readonly stderr: string };

export type Served = {
  readonly server: NodeProcess;
  /** Sends a body with a key. */
  readonly post: (key: string, body: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
};

/** Commands and servers on a data directory that each test has for itself; all are stopped after it, the last one first. */
export function useCommands() {
  const directory = useNewDirectory();
  const running: { stop: () => Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.stop();
  });

  const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}): NodeProcess => {
    const own = { KEYSLOT_DATA_DIR: directory(), KEYSLOT_HTTP_PORT: '0', KEYSLOT_GRPC_PORT: '0' };
    const child = startNode(['src/main.ts', ...args], { ...own, ...env });
    running.push(child);
    return child;
  };

  const run = async (...args: readonly string[]): Promise<Outcome> => {
    const child = start(args);
    const end = await eventually('the command has ended', child.ended);
    return { end, stdout: child.stdout(), stderr: child.stderr() };
  };

  /** Runs a command that must succeed; what it prints as JSON. */
  const json = async <T>(...args: readonly string[]): Promise<T> => {
    const { end, stdout, stderr } = await run(...args, '--json');
    if (end !== 'exit code 0') throw new Error(`${end}: ${stderr}`);
    return JSON.parse(stdout) as T;
  };

  const newNode = async (): Promise<ScriptedNode> => {
    const node = await startScriptedNode();
    running.push({ stop: node.close });
    return node;
  };

  const serve = async (
    env: Readonly<Record<string, string>>,
    args: readonly string[] = [],
  ): Promise<Served> => {
    if (env.KEYSLOT_DATABASE_URL === undefined) await prepareStore(directory());
    const server = start(['serve', '--json', '--log-level', 'trace', ...args], env);
    const line = await eventually('the server says where it serves', () => {
      if (server.ended() !== undefined) throw new Error(`ended with ${server.ended()}: ${server.stderr()}`);
      return server.stdout().includes('\n') ? server.stdout() : undefined;
    });
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
  return { directory, start, run, json, newNode, serve, atEnd };
}
