import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Commitment } from '../../rpc/commitment.ts';
import { accountAt } from './chain-blocks.ts';
import type { ChainNode } from './chain-node.ts';

type Call = { readonly id: unknown; readonly method: string; readonly params?: readonly unknown[] };
type Live = {
  readonly socket: WebSocket;
  readonly method: Method;
  readonly commitment: Commitment;
  last: number;
};
type Method = keyof typeof RESULTS;

/** What a subscription is told of a slot. */
const RESULTS = {
  slotSubscribe: (slot: number): unknown => ({ slot, parent: slot - 1, root: slot - 32 }),
  rootSubscribe: (slot: number): unknown => slot,
  accountSubscribe: (slot: number): unknown => ({ context: { slot }, value: accountAt(slot) }),
};
const LOOK_MS = 20;

/** The subscriptions at a node of the chain, which tell of every slot that it reaches. */
export class ChainPubsub {
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
