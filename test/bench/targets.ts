import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command } from '../support/wallet-account.ts';
import { eventually } from '../../src/core/eventually.ts';
import { startKeyslot } from '../support/keyslot.ts';
import { startNode } from '../support/node-process.ts';

/** Something that takes the loads, on loopback. */
export type Target = { readonly name: string; readonly port: number; readonly path: string };

export type RunningTarget = Target & { readonly pid: number; readonly stop: () => Promise<void> };

export const GATEWAY = 'Keyslot';
export const NGINX = 'nginx';

/** The scripted node itself, with nothing before it. */
export function startScriptedNode(): Promise<RunningTarget> {
  return startScript('direct', 'test/bench/serve-scripted-node.ts', []);
}

/** A plan that the limiter holds the key to at every request, and that no load reaches. */
export const SET_PLAN = [
  'plans',
  'set',
  'bench',
  '--requests-per-second',
  '1000000',
  '--burst',
  '1000000000',
];

/** The gateway with everything on, as `keyslot serve` starts it; its plan is out of reach. */
export async function startGateway(
  nodeUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<RunningTarget> {
  const options = { KEYSLOT_UPSTREAM_URL: nodeUrl, NODE_OPTIONS: process.env.BENCH_NODE_OPTIONS ?? '' };
  const env = { ...options, ...more };
  const { rpcUrl, dataDir, pid, stop } = await startKeyslot({ env });
  await command(dataDir, SET_PLAN);
  await command(dataDir, ['plans', 'assign', 'development', 'bench']);
  const { port, pathname, search } = new URL(rpcUrl);
  return { name: GATEWAY, port: Number(port), path: `${pathname}${search}`, pid, stop };
}

/** The two Node proxies. */
export async function startNodeProxies(nodeUrl: string): Promise<readonly RunningTarget[]> {
  return [
    await startScript('@fastify/http-proxy', 'test/bench/serve-fastify-proxy.ts', [nodeUrl]),
    await startScript('http-proxy', 'test/bench/serve-http-proxy.ts', [nodeUrl]),
  ];
}

/** The least that a process of Node can need which parses what it passes on. */
export function startBareParser(nodeUrl: string): Promise<RunningTarget> {
  return startScript('bare sockets, JSON.parse', 'test/bench/serve-bare-parse.ts', [nodeUrl]);
}

/** The lower bound: processes of Node that share a port, and parse what they answer. */
export function startBareWorkers(workers: number): Promise<RunningTarget> {
  return startScript('bare workers', 'test/bench/serve-bare-workers.ts', [String(workers)]);
}

/** nginx as a plain proxy, one process, kept-alive connections on both sides; undefined where it is not installed. */
export async function startNginx(nodeUrl: string): Promise<RunningTarget | undefined> {
  if (spawnSync('nginx', ['-v']).error !== undefined) return undefined;
  const prefix = await mkdtemp(join(tmpdir(), 'keyslot-bench-nginx-'));
  const port = await findFreePort();
  await writeFile(join(prefix, 'nginx.conf'), nginxConfig(new URL(nodeUrl).host, port));
  const args = ['-p', prefix, '-c', 'nginx.conf', '-e', 'error.log'];
  const child = spawn('nginx', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const closed = once(child, 'close');
  process.once('exit', () => child.kill('SIGKILL'));
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await closed;
    await rm(prefix, { recursive: true, force: true });
  };
  await eventually('nginx answers', () => isOpen(port));
  return { name: NGINX, port, path: '/', pid: child.pid ?? 0, stop };
}

async function startScript(name: string, script: string, args: readonly string[]): Promise<RunningTarget> {
  const { pid, stdout, stderr, ended, stop } = startNode([script, ...args], { NODE_ENV: 'production' });
  const port = await eventually(`${name} listens`, () => {
    if (ended() !== undefined) throw new Error(`${name} ended with ${ended()}: ${stderr()}`);
    return stdout().endsWith('\n') ? Number((JSON.parse(stdout()) as { port: number }).port) : undefined;
  });
  return { name, port, path: '/', pid, stop };
}

function nginxConfig(node: string, port: number): string {
  return `
daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  keepalive_requests 1000000000;
  client_body_temp_path body;
  client_body_buffer_size 1m;
  proxy_temp_path proxy;
  proxy_max_temp_file_size 0;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  upstream node { server ${node}; keepalive 128; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://node;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function isOpen(port: number): Promise<true | undefined> {
  return fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: '{"id":1}' }).then(
    () => true,
    () => undefined,
  );
}
