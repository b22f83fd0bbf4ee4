import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import { parseJson, stringifyJson } from '../../../src/core/rpc/json.ts';
import { eventually } from '../../../src/core/eventually.ts';

export type Notification = {
  readonly method: string;
  readonly params: { readonly subscription: number; readonly result: unknown };
};
export type RpcError = { readonly code: number; readonly message: string; readonly data?: unknown };
export type Reply = {
  readonly jsonrpc: '2.0';
  readonly id: unknown;
  readonly result?: unknown;
  readonly error?: RpcError;
};
type Closing = { readonly code: number; readonly reason: string };

/** A WebSocket client that keeps all it hears, in order. */
export class LedgerSocket {
  readonly socket: WebSocket;
  /** Every message as it came. */
  readonly texts: string[] = [];
  readonly closed: Promise<Closing>;
  readonly #messages: (Reply | Notification)[] = [];
  #id = 0;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data) => {
      this.texts.push(String(data));
      this.#messages.push(parseJson(String(data)) as Reply | Notification);
    });
    this.closed = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve({ code, reason: String(reason) }));
    });
  }

  static async open(url: string, options: ClientOptions = {}): Promise<LedgerSocket> {
    const opened = new LedgerSocket(new WebSocket(url, options));
    await once(opened.socket, 'open');
    return opened;
  }

  /** Calls; the result, or the error thrown as it came. */
  async call(method: string, ...params: readonly unknown[]): Promise<unknown> {
    const { result, error } = await this.reply(method, params);
    if (error !== undefined) throw new Error(`${method} was refused: ${stringifyJson(error)}`);
    return result;
  }

  /** Calls and expects an error. */
  async refusal(method: string, ...params: readonly unknown[]): Promise<RpcError> {
    const { error, result } = await this.reply(method, params);
    if (error === undefined) throw new Error(`${method} was answered: ${stringifyJson(result)}`);
    return error;
  }

  async reply(method: string, params: unknown): Promise<Reply> {
    const id = `call ${this.#id++}`;
    this.socket.send(stringifyJson({ jsonrpc: '2.0', id, method, params }));
    const isReply = (message: Reply | Notification): message is Reply => 'id' in message && message.id === id;
    return eventually(`${method} is answered`, () => this.#messages.find(isReply), { intervalMs: 2 });
  }

  /** Subscribes; the id. */
  async subscribe(method: string, ...params: readonly unknown[]): Promise<number> {
    return Number(await this.call(method, ...params));
  }

  replies(): readonly Reply[] {
    return this.#messages.filter((message): message is Reply => 'id' in message);
  }

  notifications(): readonly Notification[] {
    return this.#messages.filter((message): message is Notification => 'method' in message);
  }

  /** Results of the notifications of a subscription so far, including everything sent before the call. */
  async notificationsOf(id: number): Promise<readonly unknown[]> {
    await this.call('getHealth');
    return this.notifications()
      .filter(({ params }) => params.subscription === id)
      .map(({ params }) => params.result);
  }

  async close(): Promise<void> {
    this.socket.close();
    await this.closed;
  }

  /** Forgets what it heard so far. */
  forget(): void {
    this.texts.length = 0;
    this.#messages.length = 0;
  }
}
