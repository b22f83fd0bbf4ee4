import type { Context } from '../../../core/rpc/context.ts';
import { openrpcDocument } from '../openrpc-document.ts';

/**
 * Returns the OpenRPC document of this interface (OpenRPC, Service Discovery Method), as JSON text. It names the address that
 * was requested.
 */
export function rpcDiscover({ askedAt }: Pick<Context, 'askedAt'>): string {
  const address = askedAt?.();
  return openrpcDocument(address === undefined ? [] : [address]);
}
