import { readFile } from 'node:fs/promises';
import type { Config } from '../generated/config.ts';
import type { HttpServerOptions, ListenOptions } from './server/http/http-server.ts';

const IDLE_MARGIN_MS = 15_000;
const LAST_PORT = 65_535;

/** Where HTTP and WebSocket are served. */
export function listenOptions({ http: { host, port } }: Config): ListenOptions {
  return { host, port, portSetting: 'KEYSLOT_HTTP_PORT (or http.port)' };
}

/** Where WebSocket alone is served beside that; undefined: nowhere. */
export function socketListenOptions({ http }: Config): ListenOptions | undefined {
  const { host, port, ws_port: asked } = http;
  const portSetting = 'KEYSLOT_WS_PORT (or http.ws_port)';
  if (asked !== undefined)
    return asked === port && port !== 0 ? undefined : { host, port: asked, portSetting };
  return port === 0 || port === LAST_PORT ? undefined : { host, port: port + 1, portSetting };
}

/** Where the topic streams are served. */
export function grpcListenOptions({ http: { host }, grpc: { port } }: Config): ListenOptions {
  return { host, port, portSetting: 'KEYSLOT_GRPC_PORT (or grpc.port)' };
}

/** The files of TLS; undefined without it. */
export async function readTls({ http: { tls } }: Config): Promise<HttpServerOptions['tls']> {
  if (tls === undefined) return undefined;
  return { cert: await readFile(tls.cert_file), key: await readFile(tls.key_file) };
}

/** What every HTTP server is told, beside where it listens. */
export async function serverOptions(config: Config): Promise<Omit<HttpServerOptions, keyof ListenOptions>> {
  const { http, upstream } = config;
  return {
    tls: await readTls(config),
    requestTimeoutMs: http.body_timeout_ms,
    idleTimeoutMs: Math.max(upstream.response_timeout_ms, upstream.body_timeout_ms) + IDLE_MARGIN_MS,
  };
}

/** The address of a listener, as clients write it; `scheme` without TLS: with it an `s` follows. */
export function urlOf(
  { host, port }: { readonly host: string; readonly port: number },
  { http }: Config,
  scheme: 'http' | 'ws' = 'http',
): string {
  const secure = http.tls === undefined ? '' : 's';
  return `${scheme}${secure}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
