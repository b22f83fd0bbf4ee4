import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Config } from '../generated/config.ts';
import type { NetworkConfig } from './context.ts';
import { isLoopback } from './server/http/local-request.ts';
import { checkHsmSettings } from './signer/check-hsm-settings.ts';
import { readNodeAddress } from './upstream/node-address.ts';
import { isPubsubAddress } from './upstream/pubsub-address.ts';

/** What is wrong with settings that each fit their schema, one line per problem. Says the value of no secret. */
export function crossCheck({ http, networks, hsm }: Config): readonly string[] {
  return [
    ...checkHost(http),
    ...(http.tls === undefined ? [] : checkTls(http.tls)),
    ...http.cors_origins.flatMap(checkOrigin),
    ...networks.flatMap(checkNodes),
    ...checkNames(networks),
    ...checkHsmSettings(hsm),
  ];
}

type HttpConfig = Config['http'];

function checkHost({ host, tls, behind_proxy: isBehindProxy }: HttpConfig): readonly string[] {
  if (host === 'localhost' || isLoopbackAddress(host) || tls !== undefined || isBehindProxy) return [];
  return [
    `http.host (KEYSLOT_HTTP_HOST) is ${JSON.stringify(host)}, which others can reach; set http.tls, or http.behind_proxy (KEYSLOT_BEHIND_PROXY=1) if a proxy in front ends TLS`,
  ];
}

function isLoopbackAddress(host: string): boolean {
  return /^[\d.]+$|:/.test(host) && isLoopback(host);
}

/** Both files are read, and hold a certificate and its key. */
function checkTls({ cert_file: certFile, key_file: keyFile }: NonNullable<HttpConfig['tls']>) {
  const problems: string[] = [];
  const attempt = <T>(setting: string, read: () => T): T | undefined => {
    try {
      return read();
    } catch (error) {
      problems.push(`${setting}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const cert = attempt(`http.tls.cert_file (KEYSLOT_TLS_CERT_FILE) ${certFile}`, () =>
    readFileSync(certFile),
  );
  const key = attempt(`http.tls.key_file (KEYSLOT_TLS_KEY_FILE) ${keyFile}`, () => readFileSync(keyFile));
  if (cert !== undefined && key !== undefined) {
    attempt('http.tls: the files are no certificate and its key', () => createSecureContext({ cert, key }));
  }
  return problems;
}

/** Browsers send an origin as scheme, host and port: anything else would never match. */
function checkOrigin(origin: string, index: number): readonly string[] {
  if (origin === '*' || origin === 'null' || URL.parse(origin)?.origin === origin) return [];
  return [
    `http.cors_origins.${index} (KEYSLOT_CORS_ORIGINS) is ${JSON.stringify(origin)}; must be * or an origin such as https://app.example, without a path`,
  ];
}

function checkNodes({ environment, upstreams }: NetworkConfig, index: number): readonly string[] {
  const path = `networks.${index}.upstreams`;
  if (upstreams.length === 0 && environment !== 'localnet') {
    return [
      `${path} is empty; environment ${environment} needs a node (KEYSLOT_UPSTREAM_URL): the embedded ledger is a localnet`,
    ];
  }
  return upstreams.flatMap(({ url, ws_url: wsUrl }, item) => [
    ...(readNodeAddress(url) === undefined
      ? [`${path}.${item}.url (KEYSLOT_UPSTREAM_URL) is no valid address`]
      : []),
    ...(wsUrl !== undefined && !isPubsubAddress(wsUrl)
      ? [`${path}.${item}.ws_url (KEYSLOT_UPSTREAM_WS_URL) is no valid WebSocket address`]
      : []),
  ]);
}

function checkNames(networks: readonly NetworkConfig[]): readonly string[] {
  const labels = networks.map(({ name, environment }) => `${name}-${environment}`);
  return labels.flatMap((label, index) =>
    labels.indexOf(label) === index ? [] : [`networks.${index}: there are two networks ${label}`],
  );
}
