import type { Config } from '../../generated/config.ts';
import { urlOf } from './listen-options.ts';

/**
 * Creates the function that returns the address of the topic streams for clients that know the server by a base URL: `grpc.public_url`,
 * else the host of the base URL with this server's own port. Undefined behind a proxy, which may serve them anywhere, and before the port
 * is known.
 */
export function createGrpcUrlOf(
  config: Config,
  port: () => number | undefined,
): (baseUrl: string) => string | undefined {
  const { public_url: publicUrl } = config.grpc;
  return (baseUrl) => {
    const bound = port();
    if (publicUrl !== undefined || config.http.behind_proxy || bound === undefined) return publicUrl;
    const { hostname } = new URL(baseUrl);
    return urlOf({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: bound }, config);
  };
}
