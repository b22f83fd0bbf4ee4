import { accessSync, constants } from 'node:fs';
import type { Config } from '../generated/config.ts';
import { isLoopback } from './server/http/local-request.ts';

/** What is wrong with settings that are each valid, one line per problem. */
export function crossCheck({ http, networks }: Config): readonly string[] {
  const labels = networks.map(({ name, environment }) => `${name}-${environment}`);
  const isWide = http.host !== 'localhost' && !isLoopbackAddress(http.host);
  return [
    ...(isWide && http.tls === undefined && !http.behind_proxy ? [wideBind(http.host)] : []),
    ...(http.tls === undefined ? [] : [http.tls.cert_file, http.tls.key_file].flatMap(unreadable)),
    ...networks.flatMap(({ environment, upstreams }, index) =>
      upstreams.length === 0 && environment !== 'localnet' ? [missingUpstream(index, environment)] : [],
    ),
    ...labels.flatMap((label, index) =>
      labels.indexOf(label) === index ? [] : [`networks.${index}: there are two networks ${label}`],
    ),
  ];
}

function isLoopbackAddress(host: string): boolean {
  return /^[\d.]+$|:/.test(host) && isLoopback(host);
}

function wideBind(host: string): string {
  return `http.host (KEYSLOT_HTTP_HOST) is ${JSON.stringify(host)}, which others can reach; set http.tls, or http.behind_proxy (KEYSLOT_BEHIND_PROXY=1) if a proxy in front ends TLS`;
}

function missingUpstream(index: number, environment: string): string {
  return `networks.${index}.upstreams is empty; environment ${environment} needs a node (KEYSLOT_UPSTREAM_URL): the embedded ledger is a localnet`;
}

function unreadable(path: string): readonly string[] {
  try {
    accessSync(path, constants.R_OK);
    return [];
  } catch (error) {
    return [`http.tls: ${error instanceof Error ? error.message : String(error)}`];
  }
}
