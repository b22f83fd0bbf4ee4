import { openrpcDocument } from '../openrpc-document.ts';

/** The OpenRPC document of this interface (OpenRPC, Service Discovery Method), as JSON text. */
export function rpcDiscover(): string {
  return openrpcDocument();
}
