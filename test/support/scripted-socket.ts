import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { parseJson, printJson } from '../../runtime/json.ts';

/** A call, or a notification without an id, as it came. */
export type SentMessage = {
  readonly id?: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
};

/** The server's answer to a call: a result, an error, or nothing at all. */
export type Script = (
  call: SentMessage,
  socket: WebSocket,
) => { readonly result: unknown } | { readonly error: unknown } | undefined;

export type ScriptedSocketServer = {
  /** With the scheme http. */
  readonly url: string;
  /** Everything that clients sent, in order, JSON pings included. */
  readonly messages: readonly SentMessage[];
  /** The paths that connections were opened at. */
  readonly opened: readonly string[];
  /** The connections that there are. */
  readonly sockets: ReadonlySet<WebSocket>;
  /** Replaces the script. */
  readonly play: (script: Script) => void;
  /** Sends a message to every connection. */
  readonly tell: (message: object) => void;
  /** Sends a notification to every connection. */
  readonly notify: (method: string, subscription: unknown, result: unknown) => void;
  /** Breaks every connection, without a close frame. */
  readonly breakAll: () => void;
  readonly [Symbol.asyncDispose]: () => Promise<void>;
};

/** Gives every subscribe call an id of its own, from 1, and answers every other call with true. */
export const countingScript = (): Script => {
  let id = 0;
  return ({ method }) => {
    if (!method.endsWith('Subscribe')) return { result: true };
    id += 1;
    return { result: id };
  };
};

/** A WebSocket server on a free port that does as it is told. */
export async function startScriptedSocket(port = 0): Promise<ScriptedSocketServer> {
  const server = new WebSocketServer({ host: '127.0.0.1', port });
  await once(server, 'listening');
  const messages: SentMessage[] = [];
  const opened: string[] = [];
  let script = countingScript();
  server.on('connection', (socket, request) => {
    opened.push(request.url ?? '');
    socket.on('message', (data) => {
      const message = parseJson(String(data)) as SentMessage;
      messages.push(message);
      if (message.id === undefined) return;
      const answer = script(message, socket);
      if (answer) socket.send(printJson({ jsonrpc: '2.0', ...answer, id: message.id }));
    });
  });
  const tell = (message: object): void => {
    for (const socket of server.clients) socket.send(printJson(message));
  };
  const breakAll = (): void => {
    for (const socket of server.clients) socket.terminate();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    opened,
    sockets: server.clients,
    play: (next) => {
      script = next;
    },
    tell,
    notify: (method, subscription, result) =>
      tell({ jsonrpc: '2.0', method, params: { result, subscription } }),
    breakAll,
    [Symbol.asyncDispose]: async () => {
      breakAll();
      server.close();
      await once(server, 'close');
    },
  };
}
