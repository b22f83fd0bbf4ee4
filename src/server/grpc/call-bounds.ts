import { type Metadata, type ServerInterceptor, ServerInterceptingCall, status } from '@grpc/grpc-js';
import type { GrpcPeers } from './grpc-peers.ts';

/** As the head of an HTTP request. HPACK lets a few bytes stand for much more, and grpc-js sets no limit. */
const MAX_METADATA_BYTES = 16 * 1024;
/** Metadata of the calls of one connection whose request has not arrived: clients send it along, or soon. */
const MAX_UNFINISHED_BYTES = 1024 * 1024;
/** Milliseconds in which the request of a call has to arrive. */
const REQUEST_MS = 10_000;
/** What is refused is told before its connection is cut: HTTP/2 would hold the call for as long as the client does not end it. */
const CUT_AFTER_MS = 50;

/** Bounds what calls hold before anybody has looked at their key. What exceeds a bound ends with RESOURCE_EXHAUSTED, which names it. */
export function createCallBounds(peers: Pick<GrpcPeers, 'cut'>, requestMs = REQUEST_MS): ServerInterceptor {
  const unfinished = new Map<string, number>();
  return (_method, call) => {
    const peer = call.getPeer();
    let heldBytes = 0;
    let timer: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(timer);
      const left = (unfinished.get(peer) ?? 0) - heldBytes;
      heldBytes = 0;
      if (left > 0) unfinished.set(peer, left);
      else unfinished.delete(peer);
    };
    const refuse = (details: string): void => {
      settle();
      call.sendStatus({ code: status.RESOURCE_EXHAUSTED, details });
    };
    const cut = (details: string): void => {
      refuse(details);
      setTimeout(() => peers.cut(peer), CUT_AFTER_MS);
    };
    return new ServerInterceptingCall(call, {
      start: (next) =>
        next({
          onReceiveMetadata: (metadata, goOn) => {
            const bytes = sizeOf(metadata);
            const others = unfinished.get(peer) ?? 0;
            if (bytes > MAX_METADATA_BYTES)
              return cut(`metadata has ${bytes} bytes, and can have ${MAX_METADATA_BYTES}`);
            if (others + bytes > MAX_UNFINISHED_BYTES)
              return cut(
                `calls without their request have more than ${MAX_UNFINISHED_BYTES} bytes of metadata`,
              );
            heldBytes = bytes;
            unfinished.set(peer, others + bytes);
            timer = setTimeout(
              refuse,
              requestMs,
              `the request did not arrive within ${requestMs} ms`,
            ).unref();
            goOn(metadata);
          },
          onReceiveMessage: (message, goOn) => {
            settle();
            goOn(message);
          },
          onCancel: settle,
        }),
    });
  };
}

function sizeOf(metadata: Metadata): number {
  let bytes = 0;
  for (const [name, values] of Object.entries(metadata.toJSON()))
    for (const value of values) bytes += name.length + value.length;
  return bytes;
}
