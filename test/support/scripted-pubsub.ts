import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type WebSocket, WebSocketServer } from 'ws';

/** A call as it reached the node. */
export type NodeCall = {
  readonly id: unknown;
  readonly method: string;
  readonly params?: readonly unknown[];
};

/** The answers of methods over HTTP. */
export type NodeAnswers = Record<string, unknown | ((params: readonly unknown[]) => unknown)>;

/** An answer that is an error. */
export class NodeRefusal {
  readonly error: { readonly code: number; readonly message: string };

  constructor(code: number, message: string) {
    this.error = { code, message };
  }
}

export type ScriptedPubsub = {
  readonly url: string;
  readonly port: number;
  /** Answers over HTTP by method; to be changed at will. */
  readonly answers: NodeAnswers;
  /** Calls over HTTP, in order. */
  readonly asked: readonly NodeCall[];
  /** Calls over WebSocket, in order. */
  readonly calls: readonly NodeCall[];
  /** The connections that are open. */
  readonly sockets: ReadonlySet<WebSocket>;
  /** The answer to a subscribe call instead of an id. */
  refuse: ((call: NodeCall) => NodeRefusal | 'silence' | undefined) | undefined;
  /** The notification of every new subscription in the same packet as its reply. */
  eager: unknown;
  /** Live subscriptions of a method on open connections: their ids. */
  readonly subscriptions: (method: string) => readonly number[];
  /** Notifies every subscription of a method (and of an address, where one is given). */
  readonly notify: (method: string, result: unknown, address?: string) => void;
  /** Sends text to every connection. */
  readonly sendText: (text: string) => void;
  /** Announces slots from here on, one each `slotMs`; the last announced one is `slot`. */
  slot: number;
  isAnnouncing: boolean;
  /** Cuts every connection. */
  readonly cut: () => void;
  readonly close: () => Promise<void>;
};

export type ScriptedPubsubOptions = {
  /** False: the port takes no WebSocket. */
  readonly isServingSockets?: boolean;
  readonly port?: number;
  readonly genesisHash?: string;
  readonly firstSlot?: number;
};

const SLOT_MS = 50;
/** The slots by which a commitment is behind. */
const LAG: Readonly<Record<string, number>> = { processed: 0, confirmed: 1, finalized: 32 };
type Config = { readonly commitment?: string } | undefined;
const GENESIS = '4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY';

type Live = { readonly socket: WebSocket; readonly method: string; readonly params: readonly unknown[] };

/** A ledger node on loopback, HTTP and WebSocket on one port, that announces slots and notifies what a test says. */
export async function startScriptedPubsub(options: ScriptedPubsubOptions = {}): Promise<ScriptedPubsub> {
  const asked: NodeCall[] = [];
  const calls: NodeCall[] = [];
  const sockets = new Set<WebSocket>();
  const live = new Map<number, Live>();
  const answers: NodeAnswers = {
    getGenesisHash: options.genesisHash ?? GENESIS,
    getSlot: ([config]: readonly unknown[]) =>
      node.slot - (LAG[(config as Config)?.commitment ?? 'finalized'] ?? 0),
    getSignatureStatuses: ([signatures]: readonly unknown[]) => ({
      context: { slot: node.slot },
      value: (signatures as readonly string[]).map(() => null),
    }),
    getBlocks: [],
  };
  let lastId = 100;
  const http = createServer((request, response) => void answerHttp(request, response));
  const server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  if (options.isServingSockets !== false)
    http.on('upgrade', (request, socket, head) =>
      server.handleUpgrade(request, socket, head, (opened) => takeSocket(opened, socket)),
    );
  await listen(http, options.port ?? 0);
  const { port } = http.address() as AddressInfo;

  const node: ScriptedPubsub = {
    url: `http://127.0.0.1:${port}/`,
    port,
    answers,
    asked,
    calls,
    sockets,
    refuse: undefined,
    eager: undefined,
    subscriptions: (method) => [...live].filter(([, { method: own }]) => own === method).map(([id]) => id),
    notify: (method, result, address) => {
      for (const [subscription, { socket, method: own, params }] of live) {
        if (own !== method || (address !== undefined && params[0] !== address)) continue;
        const name = method.replace('Subscribe', 'Notification');
        socket.send(JSON.stringify({ jsonrpc: '2.0', method: name, params: { result, subscription } }));
      }
    },
    sendText: (line) => {
      for (const socket of sockets) socket.send(line);
    },
    slot: options.firstSlot ?? 100,
    isAnnouncing: true,
    cut: () => {
      for (const socket of sockets) socket.terminate();
    },
    close: async () => {
      clearInterval(timer);
      for (const socket of sockets) socket.terminate();
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  const timer = setInterval(() => {
    if (!node.isAnnouncing) return;
    node.slot++;
    node.notify('slotSubscribe', { slot: node.slot, parent: node.slot - 1, root: node.slot - 32 });
  }, SLOT_MS);
  return node;

  function takeSocket(socket: WebSocket, stream: Duplex): void {
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      for (const [id, { socket: own }] of live) if (own === socket) live.delete(id);
    });
    socket.on('error', () => undefined);
    socket.on('message', (data) => {
      const call = JSON.parse(String(data)) as NodeCall;
      calls.push(call);
      const answer = answerSocket(socket, call);
      if (answer === undefined) return;
      stream.cork();
      socket.send(JSON.stringify({ jsonrpc: '2.0', ...answer, id: call.id }));
      if (node.eager !== undefined) node.notify(call.method, node.eager);
      stream.uncork();
    });
  }

  function answerSocket(socket: WebSocket, call: NodeCall) {
    const { method, params = [] } = call;
    const refusal = node.refuse?.(call);
    if (refusal === 'silence') return undefined;
    if (refusal !== undefined) return { error: refusal.error };
    if (method.endsWith('Unsubscribe')) return { result: live.delete(Number(params[0])) };
    const id = ++lastId;
    live.set(id, { socket, method, params });
    return { result: id };
  }

  async function answerHttp(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (body === '') return void response.writeHead(405).end();
    const calls = JSON.parse(body) as NodeCall | readonly NodeCall[];
    const replies = Array.isArray(calls)
      ? await Promise.all(calls.map(answerCall))
      : await answerCall(calls as NodeCall);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(replies));
  }

  async function answerCall(call: NodeCall) {
    asked.push(call);
    const scripted = answers[call.method];
    const answer: unknown = typeof scripted === 'function' ? await scripted(call.params ?? []) : scripted;
    const outcome =
      answer instanceof NodeRefusal
        ? { error: answer.error }
        : { result: answer === undefined ? null : answer };
    return { jsonrpc: '2.0', ...outcome, id: call.id };
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
}
