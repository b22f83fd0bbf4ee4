import { WebSocketServer } from 'ws';
import type { UpgradeHandler } from '../../server/http/http-server.ts';
import { MAX_BODY_BYTES } from '../../server/http/node-server.ts';
import type { Ledger } from '../ledger.ts';
import { SubscriptionHub } from '../subscriptions/subscription-hub.ts';
import { type SessionLimits, SocketSession } from './socket-session.ts';

export type SocketOptions = SessionLimits & {
  /** Interval of pings; a client that sends nothing between two of them is disconnected. */
  readonly pulseMs: number;
  readonly maxMessageBytes: number;
  /** The close code that clients get at the end: after 1001 they reconnect, after 1000 they do not. */
  readonly closeCode: 1000 | 1001;
};

const DEFAULTS: SocketOptions = {
  maxBufferedBytes: 64 * 1024 * 1024,
  settleMs: 20,
  pulseMs: 30_000,
  maxMessageBytes: MAX_BODY_BYTES,
  closeCode: 1001,
};

/** The WebSocket side of the ledger: on every path, without a key, messages as large as the body of a POST. */
export class SocketServer {
  readonly #server: WebSocketServer;
  readonly #sessions = new Set<SocketSession>();
  readonly #ledger: Ledger;
  readonly #hub: SubscriptionHub;
  readonly #options: SocketOptions;
  readonly #pulse: NodeJS.Timeout;
  #isClosing = false;
  #onLast: () => void = () => undefined;

  constructor(ledger: Ledger, options: Partial<SocketOptions> = {}) {
    this.#ledger = ledger;
    this.#hub = new SubscriptionHub(ledger);
    this.#options = { ...DEFAULTS, ...options };
    this.#server = new WebSocketServer({
      noServer: true,
      maxPayload: this.#options.maxMessageBytes,
      perMessageDeflate: false,
      autoPong: false,
      clientTracking: false,
    });
    this.#pulse = setInterval(() => this.#checkPulses(), this.#options.pulseMs).unref();
  }

  /** Number of open connections. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Number of subscriptions, counted once per connection that has them. */
  get subscriptionCount(): number {
    return this.#hub.size;
  }

  /** Takes over a connection. */
  readonly upgrade: UpgradeHandler = (request, socket, head, connection) => {
    if (this.#isClosing) {
      socket.destroy();
      return;
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      const session = new SocketSession(opened, this.#ledger, this.#hub, this.#options);
      this.#sessions.add(session);
      connection?.take(session);
      opened.on('close', () => {
        this.#sessions.delete(session);
        if (this.#sessions.size === 0) this.#onLast();
      });
    });
  };

  /** Closes all connections with `closeCode`, and cuts those still open after `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    this.#isClosing = true;
    clearInterval(this.#pulse);
    this.#hub.close();
    const ended = Promise.withResolvers<void>();
    this.#onLast = ended.resolve;
    if (this.#sessions.size === 0) ended.resolve();
    for (const session of this.#sessions)
      session.close(this.#options.closeCode, 'The ledger is shutting down');
    const deadline = setTimeout(ended.resolve, deadlineMs);
    await ended.promise;
    clearTimeout(deadline);
    for (const session of this.#sessions) session.cut();
  }

  #checkPulses(): void {
    for (const session of this.#sessions) if (!session.checkPulse()) session.cut();
  }
}
