import type { Metadata } from '@grpc/grpc-js';
import type { IncomingMessage } from 'node:http';

/** The metadata and the peer of a call. */
export type CallHead = { readonly metadata: Metadata; readonly getPeer: () => string };

/** Presents a call to the API key check as a request: the key is in the metadata only. */
export function requestOf(call: CallHead): Pick<IncomingMessage, 'url' | 'headers' | 'socket'> {
  const headers = Object.fromEntries(
    ['x-api-key', 'keyslot-session', 'origin', 'x-forwarded-for', 'forwarded'].flatMap((name) => {
      const value = textOf(call.metadata, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const socket = { remoteAddress: addressOf(call.getPeer()) } as IncomingMessage['socket'];
  return { url: '/', headers, socket };
}

/** Returns the metadata value of a name; several values are joined as in HTTP. */
export function textOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  return values.length === 0 ? undefined : values.map(String).join(', ');
}

/** Returns the address of a peer, without the port: `127.0.0.1:50000` and `[::1]:50000`. */
export function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
