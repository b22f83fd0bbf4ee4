/** An address of a network, and what it is for. */
export type NetworkAddress = { readonly kind: string; readonly address: string };

/** Returns the addresses of a network, by its `rpc_path`; the WebSocket is at the same path as JSON-RPC. */
export function networkAddresses(serverAddress: string, rpcPath: string): readonly NetworkAddress[] {
  const http = `${serverAddress}${rpcPath}`;
  return [
    { kind: 'JSON-RPC', address: http },
    { kind: 'WebSocket', address: http.replace(/^http/, 'ws') },
  ];
}
