import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../src/base/eventually.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { type NodeProcess, startNode } from '../../support/node-process.ts';
import { prepareStore } from '../../support/prepared-store.ts';
import { ChainServer } from '../../../src/lab/nodes/chain-server.ts';

/** How a server before the chain is reached. */
export type ChainGateway = {
  readonly rpcUrl: string;
  readonly grpcUrl: string;
  readonly metricsUrl: string;
  readonly apiKey: string;
};

/** A server before three nodes of one chain. */
export type ServedChain = {
  readonly servers: readonly [ChainServer, ChainServer, ChainServer];
  readonly gateway: ChainGateway;
  /** The transactions that nodes took more than once, as faults. */
  readonly takenAgain: () => readonly string[];
  readonly stop: () => Promise<void>;
};

type Ready = { readonly [name in 'base_url' | 'grpc_url' | 'metrics_url']: string } & {
  readonly rpc_paths: readonly string[];
};

/** A node that hangs is left before a client has lost its patience. */
const UPSTREAM = { patience_ms: 1_000, own_reads_wait_ms: 3_000, ws_silence_ms: 2_000 };
const DEADLINE_MS = 120_000;

/** Starts three nodes and `keyslot serve` before them, with a key that no limit binds. */
export async function serveChain(): Promise<ServedChain> {
  await using started = new AsyncDisposableStack();
  const servers = [new ChainServer(), new ChainServer(), new ChainServer()] as const;
  for (const server of servers) {
    await server.start();
    started.defer(() => server.kill());
  }
  const directory = await mkdtemp(join(tmpdir(), 'keyslot-test-'));
  started.defer(() => rm(directory, { recursive: true, force: true }));
  const env = { KEYSLOT_DATA_DIR: directory, KEYSLOT_HTTP_PORT: '0', KEYSLOT_GRPC_PORT: '0' };
  prepareStore(directory);
  const apiKey = await createKey(env);
  const upstreams = servers.map(({ url }, index) => ({ url, name: `node-${index + 1}` }));
  const file = join(directory, 'keyslot.yaml');
  await writeFile(
    file,
    JSON.stringify({ upstream: UPSTREAM, networks: [{ environment: 'devnet', upstreams }] }),
  );
  const child = startNode(['src/main.ts', 'serve', '--json', '--config', file], env);
  started.defer(child.stop);
  const { base_url, grpc_url, metrics_url, rpc_paths } = await ready(child);
  const running = started.move();
  return {
    servers,
    gateway: {
      rpcUrl: `${base_url}${rpc_paths[0]}?apikey=${apiKey}`,
      ...{ grpcUrl: grpc_url, metricsUrl: metrics_url, apiKey },
    },
    takenAgain: () => takenAgain(servers),
    stop: () => running.disposeAsync(),
  };
}

async function createKey(env: Readonly<Record<string, string>>): Promise<string> {
  const run = async (...args: readonly string[]): Promise<unknown> => {
    const out: string[] = [];
    const writeOut = (text: string): void => void out.push(text);
    const code = await runCommandLine([...args, '--json'], { env, writeOut, writeError: writeOut });
    if (code !== 0) throw new Error(`keyslot ${args.join(' ')}: ${out.join('')}`);
    return JSON.parse(out.join(''));
  };
  const { key } = (await run('keys', 'create', '--account', 'chain')) as { readonly key: string };
  await run('plans', 'assign', 'chain', 'development');
  return key;
}

function ready(child: NodeProcess): Promise<Ready> {
  const look = (): Ready | undefined => {
    if (child.ended() !== undefined) throw new Error(`ended with ${child.ended()}: ${child.stderr()}`);
    return child.stdout().includes('\n') ? (JSON.parse(child.stdout()) as Ready) : undefined;
  };
  return eventually('the server is ready', look, { timeoutMs: DEADLINE_MS });
}

function takenAgain(servers: readonly ChainServer[]): readonly string[] {
  const times = new Map<string, number>();
  for (const { node } of servers)
    for (const [wire, taken] of node.taken) times.set(wire, (times.get(wire) ?? 0) + taken);
  return [...times.values()].flatMap((taken) =>
    taken > 1 ? [`a transaction was taken ${taken} times`] : [],
  );
}
