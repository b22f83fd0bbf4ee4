import { type IncomingHttpHeaders, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ClientOptions, WebSocket } from 'ws';
import { parseJson } from '../../src/core/rpc/json.ts';

/** The end of a WebSocket. */
export type Closed = { readonly code: number; readonly reason: string };

/** A message as JSON, integers exact. */
export type SocketMessage = {
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly method?: string;
  readonly params?: unknown;
};

export type SocketClient = {
  readonly socket: WebSocket;
  /** The headers of the answer that opened it. */
  readonly headers: IncomingHttpHeaders;
  /** Every message so far, as its text. */
  readonly texts: readonly string[];
  readonly send: (message: unknown) => void;
  /** The next message that nobody has taken yet. Rejects when the socket ends before it comes. */
  readonly next: () => Promise<SocketMessage>;
  /**
   * Sends a call and takes the messages up to its reply; those before it are kept for `next`. Rejects when the socket ends before.
   * @param onReply called with the reply before any message that follows it is looked at.
   */
  readonly call: (
    method: string,
    params?: readonly unknown[],
    onReply?: (reply: SocketMessage) => void,
  ) => Promise<SocketMessage>;
  readonly closed: Promise<Closed>;
  readonly close: () => void;
};

type Taker = {
  readonly resolve: (message: SocketMessage) => void;
  readonly reject: (error: Error) => void;
};

export type SocketOptions = ClientOptions & {
  /** Takes what is no reply. Without it every message is kept. */
  readonly onNotified?: (message: SocketMessage, text: string) => void;
  /** The longest time that a call waits for its reply. Default: no limit. */
  readonly timeoutMs?: number;
};

/** Opens a WebSocket. Rejects when the upgrade is refused. */
export async function openSocket(
  url: string,
  { onNotified, timeoutMs, ...options }: SocketOptions = {},
): Promise<SocketClient> {
  const socket = new WebSocket(url, { perMessageDeflate: false, ...options });
  let headers: IncomingHttpHeaders = {};
  socket.once('upgrade', (response) => {
    headers = response.headers;
  });
  const texts: string[] = [];
  const untaken: SocketMessage[] = [];
  const waiting: PromiseWithResolvers<SocketMessage>[] = [];
  const calls = new Map<number, Taker>();
  let nextId = 1_000_000;
  const closed = new Promise<Closed>((resolve) => {
    socket.once('close', (code, reason) => {
      const error = new Error(`the socket was closed: ${code} ${String(reason)}`);
      for (const { reject } of [...waiting.splice(0), ...calls.values()]) reject(error);
      resolve({ code, reason: String(reason) });
    });
  });
  socket.on('message', (data) => {
    const line = String(data);
    const message = parseJson(line) as SocketMessage;
    if (onNotified === undefined) texts.push(line);
    else if (message.id === undefined) return onNotified(message, line);
    const called = typeof message.id === 'number' ? calls.get(message.id) : undefined;
    const taker = called ?? waiting.shift();
    if (called !== undefined) calls.delete(Number(message.id));
    if (taker === undefined) untaken.push(message);
    else taker.resolve(message);
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve).once('error', reject);
  });
  socket.on('error', () => undefined);
  const send = (message: unknown): void =>
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
  return {
    socket,
    headers,
    texts,
    send,
    closed,
    next: () => {
      const message = untaken.shift();
      if (message !== undefined) return Promise.resolve(message);
      const taker = Promise.withResolvers<SocketMessage>();
      waiting.push(taker);
      return taker.promise;
    },
    call: (method, params = [], onReply = () => undefined) => {
      if (socket.readyState !== WebSocket.OPEN) return Promise.reject(new Error('the socket is closed'));
      const id = nextId++;
      const taker = Promise.withResolvers<SocketMessage>();
      const late = (): void => taker.reject(new Error(`no reply within ${timeoutMs} ms`));
      const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs);
      calls.set(id, {
        reject: taker.reject,
        resolve: (reply) => {
          onReply(reply);
          taker.resolve(reply);
        },
      });
      send({ jsonrpc: '2.0', id, method, params });
      return taker.promise.finally(() => clearTimeout(timer));
    },
    close: () => socket.close(1000),
  };
}

/** The refusal of a request to open a WebSocket. */
export type Refusal = { readonly status: number; readonly body: string };

/** Asks for a WebSocket that is to be refused. Rejects when it is opened. */
export function askForSocket(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Refusal> {
  return new Promise((resolve, reject) => {
    const asked = request(url.replace(/^ws/, 'http'), {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
        ...headers,
      },
    });
    asked.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new Error('the WebSocket was opened'));
    });
    asked.once('response', (response) => {
      const { statusCode: status = 0 } = response;
      text(response).then((body) => resolve({ status, body }), reject);
    });
    asked.once('error', reject).end();
  });
}
