import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { type RequestOptions, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually } from '../../src/core/eventually.ts';
import { CERT, KEY as TLS_KEY } from '../server/self-signed.ts';
import { readDeployFile } from './deploy-files.ts';

/** Names in the files of docs/deploy that differ here: files, ports and gateways. */
export type ProxyPlaces = {
  readonly directory: string;
  /** The port of HTTP and WebSocket; that of gRPC is the next. */
  readonly port: number;
  /** The addresses for HTTP, and for gRPC; a proxy that takes TLS on both is behind it as `https://…`. */
  readonly gateways: readonly [string, string];
  readonly streams: readonly [string, string];
};

export type RunningProxy = {
  /** Its stderr. */
  readonly log: () => string;
  readonly stop: () => Promise<void>;
};

type Replacement = readonly [from: string, to: string];

/** Says why a suite that needs a program is skipped; undefined where the program is. @throws Error in CI. */
export function missingProgram(program: string, how: string): string | undefined {
  if (spawnSync(program, ['-v']).error === undefined) return undefined;
  if (process.env.CI === 'true') throw new Error(how);
  return how;
}

/** Starts nginx with nginx.conf. @param isBehind it is behind another proxy on this machine. */
export function startNginx(places: ProxyPlaces, isBehind = false): Promise<RunningProxy> {
  const { directory, port, gateways, streams } = places;
  const behind = ['set_real_ip_from', 'real_ip_header', 'real_ip_recursive'];
  const config = written('nginx.conf', places, [
    ['/var/run/nginx.pid', join(directory, 'nginx.pid')],
    ['/etc/nginx/tls/', `${directory}/`],
    ['/dev/stdout', join(directory, 'access.log')],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['listen 50051 ', `listen 127.0.0.1:${port + 1} `],
    ...(isBehind ? behind.map((name) => [`# ${name} `, `${name} `] as const) : []),
    ['10.0.0.5', '127.0.0.0/8'],
    ...gateways.map((each, at) => [`gateway-${at + 1}:8080`, each] as const),
    ...streams.map((each, at) => [`gateway-${at + 1}:50051`, each] as const),
  ]);
  return start('nginx', ['-c', config, '-e', 'stderr', '-g', 'daemon off;'], {
    ...places,
    signal: 'SIGQUIT',
  });
}

const TRUST = (directory: string): string =>
  `tls_server_name localhost\n\t\t\ttls_trusted_ca_certs ${join(directory, 'fullchain.pem')}`;

/** Starts Caddy with its Caddyfile, behind a proxy at 127.0.0.1 that it trusts. @param next a proxy with TLS is behind it. */
export function startCaddy(places: ProxyPlaces, next = false): Promise<RunningProxy> {
  const { directory, port, gateways, streams } = places;
  const h2 = next
    ? `reverse_proxy https://${streams[0]} {\n\t\ttransport http {\n\t\t\tversions 2\n\t\t\t${TRUST(directory)}\n\t\t}`
    : `reverse_proxy h2c://${streams[0]} h2c://${streams[1]} {`;
  const config = written('Caddyfile', places, [
    ['/etc/caddy/tls/', `${directory}/`],
    ['https://keyslot.example.com:50051', `https://localhost:${port + 1}`],
    ['https://keyslot.example.com', `https://localhost:${port}`],
    ['reverse_proxy h2c://gateway-1:50051 h2c://gateway-2:50051 {', h2],
    [
      'reverse_proxy gateway-1:8080 gateway-2:8080 {',
      `reverse_proxy ${next ? `https://${gateways[0]}` : gateways.join(' ')} {\n\t\ttrusted_proxies 127.0.0.1`,
    ],
    ...(next ? [['dial_timeout 2s', `dial_timeout 2s\n\t\t\t${TRUST(directory)}`] as const] : []),
  ]);
  const args = ['run', '--adapter', 'caddyfile', '--config', config];
  return start('caddy', args, { ...places, signal: 'SIGKILL' });
}

function written(name: string, { directory }: ProxyPlaces, replaced: readonly Replacement[]): string {
  const config = replaced.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`${name} has no ${from}`);
    return before.replaceAll(from, to);
  }, readDeployFile(name));
  writeFileSync(join(directory, 'fullchain.pem'), CERT);
  writeFileSync(join(directory, 'privkey.pem'), TLS_KEY);
  writeFileSync(join(directory, name), config);
  return join(directory, name);
}

async function start(
  program: string,
  args: readonly string[],
  { directory, port, signal }: Pick<ProxyPlaces, 'directory' | 'port'> & { readonly signal: NodeJS.Signals },
): Promise<RunningProxy> {
  const file = join(directory, `${program}.log`);
  const log = openSync(file, 'a');
  const env = { ...process.env, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
  const proxy = spawn(program, args, { stdio: ['ignore', log, log], env });
  const ended = once(proxy, 'exit');
  const failed = ended.then(() => {
    throw new Error(`${program} does not start: ${readFileSync(file, 'utf8')}`);
  });
  const listens = eventually(`${program} listens`, async () => {
    const { status } = await askProxy(port, '/healthz').catch(() => ({ status: undefined }));
    return status;
  });
  await Promise.race([failed, listens]);
  const stop = async (): Promise<void> => {
    failed.catch(() => undefined);
    proxy.kill(signal);
    await ended;
  };
  return { log: () => readFileSync(file, 'utf8'), stop };
}

/** Asks over HTTP/1.1, as `localhost` with its port. */
export async function askProxy(
  port: number,
  path: string,
  { body, headers, ...options }: RequestOptions & { readonly body?: string } = {},
): Promise<{
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}> {
  const sent = request(`https://localhost:${port}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    ca: CERT,
    family: 4,
    ...options,
    headers: { 'content-type': 'application/json', ...headers },
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return { status: answer.statusCode, text: await text(answer), headers: answer.headers };
}
