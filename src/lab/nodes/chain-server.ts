import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { ServiceError } from '../../base/service-error.ts';
import { CallSignal } from '../../rpc/call-signal.ts';
import { ChainPubsub } from './chain-pubsub.ts';
import { SteadyNode } from './steady-node.ts';

/** The connection is reset, or the second half comes later. */
export type BodyFault = { readonly kind: 'reset' } | { readonly kind: 'slow'; readonly pauseMs: number };

/** A node of the chain behind a port, HTTP and WebSocket, which can be killed and started again there. */
export class ChainServer {
  readonly node = new SteadyNode();
  /** What happens in the middle of the body of an answer. */
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
