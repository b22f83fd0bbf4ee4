import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { MAX_BODY_BYTES } from '../server/http/node-server.ts';
import { MockSession } from './mock-session.ts';

const GOING_AWAY = 1001;

/** The WebSocket side of the mock ledger: on every path, without a key. */
export class MockSockets {
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_BODY_BYTES,
    perMessageDeflate: false,
  });
  readonly #slotMs: number;
  readonly #addressOf: () => string;

  /** `slotMs`: delay of the first notification after the reply, and between notifications. `addressOf`: returns the mock's address. */
  constructor(slotMs: number, addressOf: () => string) {
    this.#slotMs = slotMs;
    this.#addressOf = addressOf;
  }

  /** Takes over a connection. */
  readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void =>
    this.#server.handleUpgrade(request, socket, head, (opened: WebSocket) => {
      new MockSession(opened, this.#slotMs, this.#addressOf()).start();
    });

  /** Ends all connections; those that do not end by themselves are cut after the deadline. */
  readonly close = async (deadlineMs: number): Promise<void> => {
    const { clients } = this.#server;
    const ended = [...clients].map(
      (socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
    );
    for (const socket of clients) socket.close(GOING_AWAY, 'The mock ends');
    const deadline = setTimeout(() => {
      for (const socket of clients) socket.terminate();
    }, deadlineMs);
    await Promise.all(ended);
    clearTimeout(deadline);
  };
}
