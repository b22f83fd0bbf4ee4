import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { ServiceError } from '../../../src/core/service-error.ts';
import { CallSignal } from '../../../src/core/rpc/call-signal.ts';
import type { Commitment } from '../../../src/core/rpc/commitment.ts';
import { ChainNode, accountAt } from './chain-node.ts';

/** The connection is reset, or the second half comes later. */
export type BodyFault = { readonly kind: 'reset' } | { readonly kind: 'slow'; readonly pauseMs: number };

/** A node of the chain behind a port, HTTP and WebSocket, which can be killed and started again there. */
export class ChainServer {
  readonly node = new SteadyNode();
  /** The fault in the middle of the body of an answer. */
  bodyFault: BodyFault | undefined;
  #server: Server | undefined;
  #pubsub: ChainPubsub | undefined;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  /** True while it has subscriptions. */
  get isSubscribed(): boolean {
    return this.isUp && this.#pubsub?.isSubscribed === true;
  }

  async start(): Promise<void> {
    this.node.begin();
    const pubsub = new ChainPubsub(this.node);
    const server = createServer((request, response) => void this.#answer(request, response));
    server.on('upgrade', (request, stream, head) => pubsub.open(request, stream, head));
    server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(this.#port, '127.0.0.1', resolve),
    );
    this.#port = (server.address() as AddressInfo).port;
    this.#server = server;
    this.#pubsub = pubsub;
  }

  /** Cuts every connection, whatever is in flight, and takes no more. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    this.#pubsub?.close();
    const closed = new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #write(response: ServerResponse, body: Buffer): void {
    const fault = this.bodyFault;
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    response.writeHead(200, headers);
    if (fault === undefined) return void response.end(body);
    const half = body.length >> 1;
    response.write(body.subarray(0, half), () => {
      if (fault.kind === 'reset') return void response.socket?.resetAndDestroy();
      const rest = setTimeout(() => response.end(body.subarray(half)), fault.pauseMs);
      response.once('close', () => clearTimeout(rest));
    });
  }

  /** A node that breaks off has taken the call; one that is busy has not. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const signal = new CallSignal();
    response.once('close', () => signal.abort(new Error('the client has left')));
    try {
      const body = await buffer(request);
      const reply = await this.node.send({ body, method: 'getSlot', id: '1', signal });
      if (reply.kind === 'whole') this.#write(response, reply.body);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'upstreamBusy') response.writeHead(429).end();
      else response.destroy();
    } finally {
      this.node.seen.length = 0;
    }
  }
}

/** A node whose confirmed and finalized slots never go back while it runs: where it falls behind, they stand still. */
class SteadyNode extends ChainNode {
  readonly #reached: Record<Commitment, number> = { processed: 0, confirmed: 0, finalized: 0 };

  /** It starts, from a state that may be older than what it had before. */
  begin(): void {
    Object.assign(this.#reached, { confirmed: 0, finalized: 0 });
  }

  override slot(commitment: Commitment = 'processed'): number {
    const slot = super.slot(commitment);
    if (commitment === 'processed') return Math.max(slot, this.slot('confirmed'));
    this.#reached[commitment] = Math.max(slot, this.#reached[commitment]);
    return this.#reached[commitment];
  }
}

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };
type Live = {
  readonly socket: WebSocket;
  readonly method: Method;
  readonly commitment: Commitment;
  last: number;
};
type Method = keyof typeof RESULTS;

/** The notification of a subscription for a slot. */
const RESULTS = {
  slotSubscribe: (slot: number): unknown => ({ slot, parent: slot - 1, root: slot - 32 }),
  rootSubscribe: (slot: number): unknown => slot,
  accountSubscribe: (slot: number): unknown => ({ context: { slot }, value: accountAt(slot) }),
};
const LOOK_MS = 20;

/** The subscriptions at a node of the chain, which tell of every slot that it reaches. */
class ChainPubsub {
  readonly #node: ChainNode;
  readonly #server = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  readonly #live = new Map<number, Live>();
  readonly #timer = setInterval(() => this.#tell(), LOOK_MS);
  #lastId = 0;

  constructor(node: ChainNode) {
    this.#node = node;
  }

  /** Takes a connection that asks for a WebSocket. */
  open(request: IncomingMessage, stream: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, stream, head, (socket) => {
      socket.on('error', () => undefined);
      socket.on('message', (data) => this.#answer(socket, JSON.parse(String(data)) as Call));
      socket.once('close', () => {
        for (const [id, live] of this.#live) if (live.socket === socket) this.#live.delete(id);
      });
    });
  }

  get isSubscribed(): boolean {
    return this.#live.size > 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #answer(socket: WebSocket, { id, method, params = [] }: Call): void {
    if (this.#node.fault === 'hangs') return;
    socket.send(JSON.stringify({ jsonrpc: '2.0', ...this.#outcomeOf(socket, method, params), id }));
  }

  #outcomeOf(socket: WebSocket, method: string, params: readonly unknown[]): object {
    if (method.endsWith('Unsubscribe')) return { result: this.#live.delete(Number(params[0])) };
    if (!isKnown(method)) return { error: { code: -32601, message: 'Method not found' } };
    const commitment = commitmentOf(method, params);
    this.#live.set(++this.#lastId, { socket, method, commitment, last: this.#node.slot(commitment) });
    return { result: this.#lastId };
  }

  #tell(): void {
    if (this.#node.fault === 'hangs') return;
    for (const [subscription, live] of this.#live) {
      const name = live.method.replace('Subscribe', 'Notification');
      for (const newest = this.#node.slot(live.commitment); live.last < newest; ) {
        const params = { result: RESULTS[live.method](++live.last), subscription };
        live.socket.send(JSON.stringify({ jsonrpc: '2.0', method: name, params }));
      }
    }
  }
}

function isKnown(method: string): method is Method {
  return method in RESULTS;
}

function commitmentOf(method: Method, params: readonly unknown[]): Commitment {
  if (method === 'slotSubscribe') return 'processed';
  const config = params[1] as { readonly commitment?: Commitment } | undefined;
  return config?.commitment ?? 'finalized';
}
