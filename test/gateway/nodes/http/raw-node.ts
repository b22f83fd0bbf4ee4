import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

export type RawRequest = { readonly head: string; readonly body: string };

export type RawNode = {
  readonly port: number;
  /** Every connection so far, in order. */
  readonly sockets: readonly Socket[];
  readonly seen: readonly RawRequest[];
  /** Called for each whole request; `count` begins at 1. */
  play: (script: (socket: Socket, request: RawRequest, count: number) => void) => void;
  readonly close: () => Promise<void>;
};

const HEAD_END = '\r\n\r\n';

/** A server that reads POST requests with a content length and answers with whatever bytes a script writes. */
export async function startRawNode(): Promise<RawNode> {
  const sockets: Socket[] = [];
  const seen: RawRequest[] = [];
  let script: Parameters<RawNode['play']>[0] = () => undefined;
  const server = createServer((socket) => {
    sockets.push(socket);
    let text = '';
    socket
      .on('error', () => undefined)
      .on('data', (chunk) => {
        text += chunk.toString('latin1');
        for (;;) {
          const end = text.indexOf(HEAD_END);
          if (end < 0) return;
          const bodyAt = end + HEAD_END.length;
          const length = Number(/\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1]);
          if (text.length < bodyAt + length) return;
          const request = { head: text.slice(0, end), body: text.slice(bodyAt, bodyAt + length) };
          text = text.slice(bodyAt + length);
          seen.push(request);
          script(socket, request, seen.length);
        }
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    seen,
    play: (next) => {
      script = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
