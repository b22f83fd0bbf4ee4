import type { Metadata } from '@grpc/grpc-js';
import type { IncomingMessage } from 'node:http';

/** What a call says of its caller. */
export type CallHead = { readonly metadata: Metadata; readonly getPeer: () => string };

/** A call as the check of the API key takes requests: the key comes in the metadata only. */
export function requestOf(call: CallHead): Pick<IncomingMessage, 'url' | 'headers' | 'socket'> {
  const headers = Object.fromEntries(
    ['x-api-key', 'origin', 'x-forwarded-for'].flatMap((name) => {
      const value = textOf(call.metadata, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const socket = { remoteAddress: addressOf(call.getPeer()) } as IncomingMessage['socket'];
  return { url: '/', headers, socket };
}

/** The value of a name in the metadata; several are joined as HTTP does it. */
export function textOf(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name);
  return values.length === 0 ? undefined : values.map(String).join(', ');
}

/** `127.0.0.1:50000` and `[::1]:50000` without the port. */
function addressOf(peer: string): string {
  return peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1');
}
