import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../src/core/eventually.ts';
import { type NodeProcess, startNode } from '../support/node-process.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { command } from '../support/wallet-account.ts';
import { GATEWAY, SET_PLAN, type RunningTarget } from './targets.ts';

export type OperatedGateway = RunningTarget & { readonly baseUrl: string; readonly dataDir: string };

type Ready = { readonly base_url: string; readonly rpc_paths: readonly string[] };

const ACCOUNT = 'bench';
const DEADLINE_MS = 60_000;

/** Starts `keyslot serve` with a configuration, which is what several nodes take, and with a key whose plan is out of reach. */
export async function startOperatedGateway(
  config: object,
  more: Readonly<Record<string, string>>,
): Promise<OperatedGateway> {
  await using started = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'keyslot-bench-'));
  started.defer(() => rm(dataDir, { recursive: true, force: true }));
  prepareStore(dataDir);
  const file = join(dataDir, 'keyslot.json');
  await writeFile(file, JSON.stringify(config));
  const own = { KEYSLOT_DATA_DIR: dataDir, KEYSLOT_HTTP_PORT: '0', KEYSLOT_GRPC_PORT: '0' };
  const env = { ...own, NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '', ...more };
  const server = startNode(['src/main.ts', 'serve', '--json', '--config', file], env);
  started.defer(server.stop);
  const { base_url: baseUrl, rpc_paths: paths } = await ready(server);
  const made = await command(dataDir, ['keys', 'create', '--account', ACCOUNT, '--name', 'bench']);
  await command(dataDir, SET_PLAN);
  await command(dataDir, ['plans', 'assign', ACCOUNT, 'bench']);
  const running = started.move();
  return {
    name: GATEWAY,
    baseUrl,
    dataDir,
    pid: server.pid,
    port: Number(new URL(baseUrl).port),
    path: `${paths[0]}?apikey=${made.key}`,
    stop: () => running.disposeAsync(),
  };
}

function ready(server: NodeProcess): Promise<Ready> {
  const look = (): Ready | undefined => {
    if (server.ended() !== undefined)
      throw new Error(`the gateway ended with ${server.ended()}: ${server.stderr()}`);
    return server.stdout().includes('\n') ? (JSON.parse(server.stdout()) as Ready) : undefined;
  };
  return eventually('the gateway is ready', look, { timeoutMs: DEADLINE_MS });
}
