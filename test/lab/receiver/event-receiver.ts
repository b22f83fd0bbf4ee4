import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { FaultKind } from '../scenarios.ts';
import type { DeliveredEvents, ReceivedRecord } from '../checks/delivered-events.ts';

type ReceiverFault = FaultKind<'receiver'>;

/** A webhook of one account, whose events come to a path of its own. */
export type ReceivedWebhook = { readonly secret: string; readonly delivered: DeliveredEvents };

const TAKEN = 204;
const FAILED = 500;
const UNKNOWN = 404;

/** The receiver of the webhooks of all accounts, on loopback. An event counts as delivered when it was read, whatever becomes of the answer. */
export class EventReceiver {
  readonly #webhooks = new Map<string, ReceivedWebhook>();
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #fault: ReceiverFault | undefined;

  async start(): Promise<void> {
    const server = createServer((request, response) => {
      this.#take(request, response).catch(() => response.destroy());
    });
    server.on('connection', (socket) => {
      if (this.#fault === 'cut_off') return void socket.destroy();
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) =>
      server.once('error', reject).listen(0, '127.0.0.1', resolve),
    );
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }

  /** The address of an account's webhook. */
  urlFor(account: string): string {
    return `http://127.0.0.1:${this.#port}/${account}`;
  }

  /** Takes events at the address of an account from now on. */
  expect(account: string, webhook: ReceivedWebhook): void {
    this.#webhooks.set(`/${account}`, webhook);
  }

  get isSound(): boolean {
    return this.#fault === undefined;
  }

  fail(fault: ReceiverFault): void {
    this.#fault = fault;
    if (fault === 'cut_off') this.#cut();
  }

  /** Works again. What waits for an answer is cut, so that the gateway need not wait for its deadline. */
  mend(): void {
    if (this.#fault === 'half_open') this.#cut();
    this.#fault = undefined;
  }

  async close(): Promise<void> {
    const server = this.#server;
    const closed = new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
    this.#cut();
    await closed;
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const webhook = this.#webhooks.get(request.url ?? '');
    const fault = this.#fault;
    if (webhook === undefined || fault === 'error')
      return void response.writeHead(webhook === undefined ? UNKNOWN : FAILED).end();
    const record = readRecord(webhook.secret, request, body);
    if (record === undefined) {
      webhook.delivered.refuse();
      return void response.writeHead(FAILED).end();
    }
    webhook.delivered.take(record);
    if (fault === 'half_open') return;
    if (fault === 'reset') return void response.socket?.resetAndDestroy();
    response.writeHead(TAKEN).end();
  }
}

/** Verified by the reference library; undefined for what the secret has not signed. */
function readRecord(secret: string, { headers }: IncomingMessage, body: Buffer): ReceivedRecord | undefined {
  try {
    const event = new Webhook(secret).verify(body, headers as Record<string, string>);
    return (event as { readonly data: ReceivedRecord }).data;
  } catch {
    return undefined;
  }
}
