import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import type { ListenOptions } from '../server/connections/listener.ts';
import { TlsFiles } from '../server/tls/tls-files.ts';

const IDLE_MARGIN_MS = 15_000;
const LAST_PORT = 65_535;

/** Returns the listen options for HTTP and WebSocket. */
export function listenOptions({ http: { host, port } }: Config): ListenOptions {
  return { host, port, portSetting: 'KEYSLOT_HTTP_PORT (or http.port)' };
}

/** Returns the listen options of the extra WebSocket port; undefined if there is none. */
export function socketListenOptions({ http }: Config): ListenOptions | undefined {
  const { host, port, ws_port: asked } = http;
  const portSetting = 'KEYSLOT_WS_PORT (or http.ws_port)';
  if (asked !== undefined)
    return asked === port && port !== 0 ? undefined : { host, port: asked, portSetting };
  return port === 0 || port === LAST_PORT ? undefined : { host, port: port + 1, portSetting };
}

/** Returns the listen options of the topic streams. */
export function grpcListenOptions({ http: { host }, grpc: { port } }: Config): ListenOptions {
  return { host, port, portSetting: 'KEYSLOT_GRPC_PORT (or grpc.port)' };
}

/** Returns the listen options of the metrics' own port; undefined: they are on the HTTP port. */
export function metricsListenOptions({ metrics: { host, port } }: Config): ListenOptions | undefined {
  return port === undefined
    ? undefined
    : { host, port, portSetting: 'KEYSLOT_METRICS_PORT (or metrics.port)' };
}

/** Opens the TLS files and watches them for changes; undefined without TLS. */
export async function openTls({ http: { tls } }: Config, log: Logger): Promise<TlsFiles | undefined> {
  if (tls === undefined) return undefined;
  return await TlsFiles.open({ certFile: tls.cert_file, keyFile: tls.key_file, log });
}

/** Returns the time limits of HTTP clients. */
export function timeouts({ http, upstream }: Config) {
  return {
    requestTimeoutMs: http.body_timeout_ms,
    idleTimeoutMs: Math.max(upstream.response_timeout_ms, upstream.body_timeout_ms) + IDLE_MARGIN_MS,
  };
}

/** Returns the address of a listener that speaks HTTP without TLS. */
export function httpUrl({ host, port }: Pick<ListenOptions, 'host' | 'port'>): string {
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the address of a listener, as clients write it; `scheme` is the one without TLS, and gets an `s` with TLS. */
export function urlOf(
  { host, port }: { readonly host: string; readonly port: number },
  { http }: Config,
  scheme: 'http' | 'ws' = 'http',
): string {
  const secure = http.tls === undefined ? '' : 's';
  return `${scheme}${secure}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** Returns the base URL of a server by its settings alone: the public one if it is set; undefined if any free port is taken. */
export function configuredUrl(config: Config): string | undefined {
  const { public_url: publicUrl, port } = config.http;
  return publicUrl ?? (port === 0 ? undefined : urlOf(config.http, config));
}
