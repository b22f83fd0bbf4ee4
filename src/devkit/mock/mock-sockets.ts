import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { MAX_BODY_BYTES, CALL_LIMITS } from '../../server/http/node-server.ts';
import { SUBSCRIPTION_EXAMPLES, EXAMPLES } from '../../../generated/ledger/examples.ts';
import type { CallName } from '../../../generated/ledger/params.ts';
import {
  isSubscriptionName,
  isUnsubscribeName,
  SUBSCRIPTIONS,
  type SubscriptionName,
} from '../../../generated/ledger/subscriptions.ts';
import { stringifyJson } from '../../core/rpc/json.ts';
import { assertParams, checkCall } from '../../gateway/ledger/check-call.ts';
import { answerBody } from '../../core/rpc/answer-body.ts';
import type { Call, RawReply } from '../../core/rpc/call.ts';
import { serviceError, toServiceError, ServiceError } from '../../core/service-error.ts';
import type { Example } from '../../../generated/ledger/example.ts';
import type { MethodName } from '../../../generated/ledger/methods.ts';
import { openrpcDocument } from '../../gateway/ledger/openrpc-document.ts';

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

  /** Closes all connections; those still open after the deadline are cut. */
  readonly close = async (deadlineMs: number): Promise<void> => {
    const { clients } = this.#server;
    const ended = [...clients].map(
      (socket) => new Promise<void>((resolve) => void socket.once('close', () => resolve())),
    );
    for (const socket of clients) socket.close(GOING_AWAY, 'The mock is stopping');
    const deadline = setTimeout(() => {
      for (const socket of clients) socket.terminate();
    }, deadlineMs);
    await Promise.all(ended);
    clearTimeout(deadline);
  };
}

/** A close code of RFC 6455, section 7.4.1. */
const INVALID_DATA = 1007;

/**
 * One WebSocket of the mock ledger. A subscription sends the notifications of the example with the same params, or of the first example,
 * once each, one per slot.
 */
class MockSession {
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

/** The environment of the mock, which accepts the calls that only test environments allow. */
const ENVIRONMENT = 'localnet';

/**
 * Answers a call from the examples of the specification: the one with the same params, or the method's first one with a result.
 *
 * @param address the mock's own address, for the document that contains it.
 * @returns the JSON text of the result.
 * @throws ServiceError a refusal by the specification, or the error of an example with the same params.
 */
export function answerCall(call: Pick<Call, 'method' | 'params'>, address?: string): string {
  const method = checkCall(call, ENVIRONMENT, { hasNode: false });
  if (method === 'rpc.discover') return openrpcDocument(address === undefined ? [] : [address]);
  const example = findExample(method, call.params);
  if (example === undefined) throw serviceError('internalError');
  if ('error' in example) throw new ServiceError(example.error, example.context);
  return stringifyJson(example.result);
}

function findExample(method: MethodName, params: unknown): Example | undefined {
  const examples = EXAMPLES[method];
  return withSameParams(examples, params) ?? examples.find((example) => 'result' in example);
}

/** Returns the first example of a call with these params. */
function withSameParams<E extends { readonly params: readonly unknown[] }>(
  examples: readonly E[],
  params: unknown,
): E | undefined {
  const wanted = printParams(params);
  return examples.find((example) => printParams(example.params) === wanted);
}

/** Prints params in a canonical form: members in order, without nulls, which have no meaning. */
function printParams(params: unknown): string {
  const given = Array.isArray(params) ? params.map(inOrder) : [];
  return stringifyJson(given.slice(0, given.findLastIndex((param) => param !== null) + 1));
}

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value ?? null;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(
    members
      .map(([name, member]) => [name, inOrder(member)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  );
}
