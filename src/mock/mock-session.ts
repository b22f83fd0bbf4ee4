import type { WebSocket } from 'ws';
import { SUBSCRIPTION_EXAMPLES } from '../../generated/ledger/examples.ts';
import type { CallName } from '../../generated/ledger/params.ts';
import {
  isSubscriptionName,
  isUnsubscribeName,
  SUBSCRIPTIONS,
  type SubscriptionName,
} from '../../generated/ledger/subscriptions.ts';
import { stringifyJson } from '../rpc/json.ts';
import { assertParams } from '../ledger/check-call.ts';
import { CALL_LIMITS } from '../server/http/node-server.ts';
import { answerBody } from '../rpc/answer-body.ts';
import type { Call, RawReply } from '../rpc/call.ts';
import { serviceError, toServiceError } from '../base/service-error.ts';
import { answerCall } from './answer-call.ts';
import { withSameParams } from './same-params.ts';

/** A close code of RFC 6455, section 7.4.1. */
const INVALID_DATA = 1007;

/**
 * One WebSocket of the mock ledger. A subscription sends the notifications of the example with the same params, or of the first one: one
 * per slot, each once.
 */
export class MockSession {
  readonly #socket: WebSocket;
  readonly #slotMs: number;
  readonly #address: string;
  /** The subscriptions, with the timer of the next notification. */
  readonly #timers = new Map<string, NodeJS.Timeout | undefined>();
  #lastId = 0;
  /** Messages are answered one at a time. */
  #answered: Promise<void> = Promise.resolve();

  constructor(socket: WebSocket, slotMs: number, address: string) {
    this.#socket = socket;
    this.#slotMs = slotMs;
    this.#address = address;
  }

  /** Answers messages until the connection ends. */
  start(): void {
    this.#socket.on('message', (message: Buffer) => {
      this.#answered = this.#answered.then(() => this.#answer(message));
    });
    // ws answers anything that is not a WebSocket with a close code itself; 'close' follows.
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      for (const timer of this.#timers.values()) clearTimeout(timer);
      this.#timers.clear();
    });
  }

  async #answer(message: Buffer): Promise<void> {
    try {
      const reply = await answerBody(message, async (call) => this.#serve(call), CALL_LIMITS);
      if (reply !== undefined) this.#socket.send(String(reply).trimEnd());
    } catch (error) {
      this.#socket.close(INVALID_DATA, toServiceError(error).message);
    }
  }

  #serve(call: Call): RawReply {
    const { method, params } = call;
    if (isSubscriptionName(method)) return this.#subscribe(method, params);
    if (isUnsubscribeName(method)) return this.#unsubscribe(method, params);
    return { kind: 'result', json: answerCall(call, this.#address) };
  }

  #subscribe(name: SubscriptionName, params: unknown): RawReply {
    assertParams(name, params, { hasNode: false });
    const examples = SUBSCRIPTION_EXAMPLES[name];
    const { notifications = [] } = withSameParams(examples, params) ?? examples[0] ?? {};
    this.#lastId += 1;
    this.#notify(name, String(this.#lastId), notifications);
    return { kind: 'result', json: String(this.#lastId) };
  }

  #notify(name: SubscriptionName, id: string, [next, ...later]: readonly unknown[]): void {
    const { notification: method, endsItself } = SUBSCRIPTIONS[name];
    if (next === undefined) {
      if (endsItself) this.#timers.delete(id);
      else this.#timers.set(id, undefined);
      return;
    }
    const timer = setTimeout(() => {
      this.#socket.send(
        stringifyJson({ jsonrpc: '2.0', method, params: { result: next, subscription: Number(id) } }),
      );
      this.#notify(name, id, later);
    }, this.#slotMs);
    this.#timers.set(id, timer);
  }

  #unsubscribe(name: CallName, params: unknown): RawReply {
    assertParams(name, params, { hasNode: false });
    const id = String((params as readonly unknown[])[0]);
    if (!this.#timers.has(id)) throw serviceError('subscriptionNotFound');
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
    return { kind: 'result', json: 'true' };
  }
}
