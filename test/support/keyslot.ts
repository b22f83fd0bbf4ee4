import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../src/core/eventually.ts';
import { type NodeProcess, startNode } from './node-process.ts';
import { prepareStore } from './prepared-store.ts';

const START_DEADLINE_MS = 300_000;

export type StartOptions = {
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** The number of files that it may open, if fewer than this process. */
  readonly openFiles?: number;
  /** As in `NodeOptions`. */
  readonly isOptimized?: boolean;
  /** As in `NodeOptions`. */
  readonly root?: string | undefined;
};

export type RunningKeyslot = {
  /** `http://127.0.0.1:<port>` */
  readonly baseUrl: string;
  /** The JSON-RPC address with its `apikey`. */
  readonly rpcUrl: string;
  readonly apiKey: string;
  /** `http://127.0.0.1:<port>` of the topic streams. */
  readonly grpcUrl: string;
  readonly dataDir: string;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Stops the server and removes its data directory. */
  readonly stop: () => Promise<void>;
};

/**
 * Starts `keyslot serve` with embedded defaults, a data directory of its own and a free port, and waits until
 * `/readyz` answers 200.
 * @throws Error with the server's stderr when it ends or is not ready within 300 s.
 */
export async function startKeyslot({
  env = {},
  args = [],
  openFiles,
  isOptimized,
  root,
}: StartOptions = {}): Promise<RunningKeyslot> {
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-test-'));
  // An older version makes a store of its own.
  if (root === undefined) prepareStore(dataDir);
  const own = { KEYSLOT_DATA_DIR: dataDir, KEYSLOT_HTTP_PORT: '0', KEYSLOT_GRPC_PORT: '0' };
  const server = startNode(
    ['src/main.ts', 'serve', ...args],
    { ...own, ...env },
    { openFiles, isOptimized, root },
  );
  const stop = async (): Promise<void> => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const access = await started(server, 'keyslot serve', () => readAccess(dataDir));
    return { ...access, dataDir, pid: server.pid, stdout: server.stdout, stderr: server.stderr, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export type RunningLocalnet = {
  readonly rpcUrl: string;
  readonly pid: number;
  readonly stderr: () => string;
  readonly stop: () => Promise<void>;
};

/** Starts `keyslot localnet` alone on a free port and waits until it announces it. */
export async function startLocalnet({ env = {}, args = [] }: StartOptions = {}): Promise<RunningLocalnet> {
  const node = startNode(['src/main.ts', 'localnet', '--rpc-port', '0', '--json', ...args], env);
  try {
    const port = await started(node, 'keyslot localnet', () => readyPort(node.stdout()));
    return { rpcUrl: `http://127.0.0.1:${port}`, pid: node.pid, stderr: node.stderr, stop: node.stop };
  } catch (error) {
    await node.stop();
    throw error;
  }
}

export type RunningMock = {
  readonly rpcUrl: string;
  /** The mock of the wallet service. */
  readonly walletsUrl: string;
  /** The mock of the account service. */
  readonly accountUrl: string;
  /** The mock of the stream service. */
  readonly grpcUrl: string;
  readonly stderr: () => string;
  readonly stop: () => Promise<void>;
};

/** Starts `keyslot mock` on a free port and waits until it announces it. */
export async function startMock(): Promise<RunningMock> {
  const node = startNode(['src/main.ts', 'mock', '--port', '0', '--json'], {});
  try {
    const port = await started(node, 'keyslot mock', () => readyPort(node.stdout()));
    const {
      wallets_url: walletsUrl = '',
      account_url: accountUrl = '',
      grpc_url: grpcUrl = '',
    } = JSON.parse(node.stdout()) as {
      wallets_url?: string;
      account_url?: string;
      grpc_url?: string;
    };
    const urls = { rpcUrl: `http://127.0.0.1:${port}`, walletsUrl, accountUrl, grpcUrl };
    return { ...urls, stderr: node.stderr, stop: node.stop };
  } catch (error) {
    await node.stop();
    throw error;
  }
}

async function started<T>(
  child: NodeProcess,
  name: string,
  look: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const check = (): Promise<T | undefined> | T | undefined => {
    const end = child.ended();
    if (end !== undefined) throw new Error(`${name} ended with ${end}`);
    return look();
  };
  try {
    return await eventually(`${name} is ready`, check, { timeoutMs: START_DEADLINE_MS });
  } catch (cause) {
    throw new Error(`${name} did not start; it wrote:\n${child.stdout()}${child.stderr()}`, { cause });
  }
}

type Access = Pick<RunningKeyslot, 'baseUrl' | 'rpcUrl' | 'apiKey' | 'grpcUrl'>;

async function readAccess(dataDir: string): Promise<Access | undefined> {
  const text = await readFile(join(dataDir, 'dev.json'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const {
    base_url: baseUrl,
    rpc_path: rpcPath,
    api_key: apiKey,
    grpc_url: grpcUrl,
  } = JSON.parse(text) as Record<string, string>;
  if (baseUrl === undefined || rpcPath === undefined || apiKey === undefined || grpcUrl === undefined)
    throw new Error(`dev.json lacks a member: ${text}`);
  const ready = await fetch(`${baseUrl}/readyz`).then(
    (answer) => answer.ok,
    () => false,
  );
  return ready ? { baseUrl, rpcUrl: `${baseUrl}${rpcPath}?apikey=${apiKey}`, apiKey, grpcUrl } : undefined;
}

/** The port in the announcement `{"kind":"ready","port":N}`, once that line is complete. */
function readyPort(output: string): number | undefined {
  for (const line of output.split('\n').slice(0, -1)) {
    const message = JSON.parse(line) as { kind?: string; port?: number };
    if (message.kind === 'ready') return message.port;
  }
  return undefined;
}
