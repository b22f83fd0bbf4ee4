import type { WebSocket } from 'ws';
import { CALL_LIMITS } from '../../server/http/node-server.ts';
import { answerBody } from '../../core/rpc/answer-body.ts';
import { closeOf, ServiceError, serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';
import type { SubscriptionHub, Subscriber } from '../subscriptions/subscription-hub.ts';
import { LOCALNET_SUBSCRIPTIONS } from '../../../generated/ledger/localnet-subscriptions.ts';
import {
  isSubscriptionName,
  isUnsubscribeName,
  type SubscriptionName,
} from '../../../generated/ledger/subscriptions.ts';
import { type CallName, checkParams } from '../../../generated/ledger/params.ts';
import type { Call, RawReply } from '../../core/rpc/call.ts';
import { callMethod } from '../call-method.ts';
import { printResult } from '../printed-result.ts';
import type { Subscribed } from '../subscriptions/subscription.ts';

/** The connection that a call came on. */
type Connection = Subscriber & {
  /** Called with a new subscription, before its notifications. */
  readonly begin: (id: number) => void;
  /** Called when a subscription was ended. */
  readonly end: (id: number) => void;
};

type AnySubscription = (ledger: Ledger, ...params: readonly unknown[]) => Subscribed;

/**
 * Answers one call over a WebSocket: subscriptions, and every method that is served over HTTP.
 *
 * @throws ServiceError subscriptionNotFound, subscriptionRefused, and those of `callMethod`.
 */
async function serveSocketCall(
  ledger: Ledger,
  hub: SubscriptionHub,
  connection: Connection,
  { method, params, isNotification }: Call,
): Promise<RawReply> {
  if (isSubscriptionName(method)) {
    // Without an answer the client could not match notifications to the subscription.
    if (isNotification) throw serviceError('invalidRequest');
    const subscribed = read(ledger, method, params);
    return result(hub.subscribe(connection, method, subscribed, connection.begin));
  }
  if (isUnsubscribeName(method)) {
    assertParams(method, params);
    const [id] = params as readonly [number | bigint];
    if (!hub.unsubscribe(connection, id)) throw serviceError('subscriptionNotFound');
    connection.end(Number(id));
    return result(true);
  }
  return result(await callMethod(ledger, method, params));
}

/** The params have been checked, which the types of the registry cannot express. */
function read(ledger: Ledger, name: SubscriptionName, params: unknown): Subscribed {
  assertParams(name, params);
  const subscription = LOCALNET_SUBSCRIPTIONS[name] as AnySubscription;
  return subscription(ledger, ...(Array.isArray(params) ? params : []));
}

function assertParams(name: CallName, params: unknown): void {
  const violation = checkParams(name, params);
  if (violation !== undefined) throw new ServiceError(violation.error, violation.context);
}

function result(value: unknown): RawReply {
  return { kind: 'result', json: printResult(value) };
}

/** Close codes (RFC 6455, section 7.4.1). */
const INVALID_DATA = 1007;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;

export type SessionLimits = {
  /** Maximum number of unsent bytes when a notification arrives; a client with more is too slow. */
  readonly maxBufferedBytes: number;
  /**
   * Time for which the notifications of a new subscription are held after its reply. Clients attach their listeners when they see the
   * reply, and kit loses notifications in the same packet. 0: sent right after it.
   */
  readonly settleMs: number;
};

/** A new subscription, and its held notifications. */
type Begun = { readonly id: number; readonly notifications: readonly Buffer[] };

/** One WebSocket: answers its messages one at a time, and sends it the notifications of its subscriptions. */
export class SocketSession implements Connection {
  readonly #socket: WebSocket;
  readonly #ledger: Ledger;
  readonly #hub: SubscriptionHub;
  readonly #limits: SessionLimits;
  readonly #messages: Buffer[] = [];
  #isAnswering = false;
  #received = 0;
  /** Notifications of subscriptions whose reply was not sent yet, or only just now. */
  readonly #held = new Map<number, Buffer[]>();
  #heldBytes = 0;
  #begun: Begun[] = [];
  #isAlive = true;

  constructor(socket: WebSocket, ledger: Ledger, hub: SubscriptionHub, limits: SessionLimits) {
    this.#socket = socket;
    this.#ledger = ledger;
    this.#hub = hub;
    this.#limits = limits;
    socket.on('message', (data: Buffer) => this.#receive(data));
    socket.on('ping', (data: Buffer) => this.#pong(data));
    socket.on('pong', () => this.#hear());
    // ws answers anything that is not a WebSocket with a close code itself; 'close' follows.
    socket.on('error', () => this.#hub.leave(this));
    socket.on('close', () => this.#stop());
  }

  readonly begin = (id: number): void => {
    const notifications: Buffer[] = [];
    this.#held.set(id, notifications);
    this.#begun.push({ id, notifications });
  };

  readonly end = (id: number): void => {
    this.#forget(id);
  };

  readonly notify = (id: number, notification: Buffer): void => {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    const held = this.#held.get(id);
    if (this.#isFull()) {
      this.#refuse();
    } else if (held === undefined) {
      this.#send(notification);
    } else {
      held.push(notification);
      this.#heldBytes += notification.length;
    }
  };

  readonly fail = (): void => this.close(INTERNAL_ERROR, 'A notification could not be created');

  /** Returns whether anything came from the client since the last check, and pings it for the next one. */
  checkPulse(): boolean {
    const wasAlive = this.#isAlive;
    this.#isAlive = false;
    if (wasAlive) this.#socket.ping();
    return wasAlive;
  }

  /** True when it has a subscription, or a message is being answered. */
  isInUse(): boolean {
    return this.#isAnswering || this.#hub.has(this);
  }

  /** Number of messages received. */
  progress(): number {
    return this.#received;
  }

  /** Ends it to make room for another connection. */
  shed(reason: ServiceError): void {
    const close = closeOf(reason);
    this.close(close?.code ?? POLICY_VIOLATION, close?.reason ?? '');
  }

  /** Cuts the connection. */
  cut(): void {
    this.#socket.terminate();
  }

  /** Ends the subscriptions, and closes with a code and a reason of up to 123 bytes. */
  close(code: number, reason: string): void {
    this.#hub.leave(this);
    this.#socket.close(code, reason);
  }

  #receive(message: Buffer): void {
    this.#hear();
    this.#received++;
    this.#messages.push(message);
    if (this.#isAnswering) return;
    this.#isAnswering = true;
    this.#socket.pause();
    void this.#answerAll();
  }

  /** Resumes reading once all messages have been answered and the answers sent: a client that does not read is not read from. */
  async #answerAll(): Promise<void> {
    for (let next = this.#messages.shift(); next !== undefined; next = this.#messages.shift()) {
      if (this.#socket.readyState !== this.#socket.OPEN) break;
      await this.#answer(next);
    }
    this.#isAnswering = false;
    this.#socket.resume();
  }

  async #answer(message: Buffer): Promise<void> {
    try {
      const reply = await answerBody(
        message,
        (call) => serveSocketCall(this.#ledger, this.#hub, this, call),
        CALL_LIMITS,
      );
      if (reply !== undefined) await this.#sendWhole(reply);
    } catch {
      this.close(INVALID_DATA, 'Messages must be JSON in UTF-8');
    }
    this.#settleLater();
  }

  #settleLater(): void {
    const begun = this.#begun;
    this.#begun = [];
    const settle = (): void => {
      for (const each of begun) this.#settle(each);
    };
    if (this.#limits.settleMs === 0) settle();
    else if (begun.length > 0) setTimeout(settle, this.#limits.settleMs).unref();
  }

  /** The id of an ended subscription may be in use again, with its own delay. */
  #settle({ id, notifications }: Begun): void {
    if (this.#held.get(id) !== notifications) return;
    for (const notification of this.#forget(id)) this.#send(notification);
  }

  #forget(id: number): readonly Buffer[] {
    const held = this.#held.get(id) ?? [];
    for (const { length } of held) this.#heldBytes -= length;
    this.#held.delete(id);
    return held;
  }

  #send(text: Buffer): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.send(text, { binary: false });
  }

  /** Resolves when the text has been handed to the system, or the connection is gone. */
  #sendWhole(text: Buffer): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) resolve();
      else this.#socket.send(text, { binary: false }, () => resolve());
    });
  }

  #pong(data: Buffer): void {
    this.#hear();
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    if (this.#isFull()) this.#refuse();
    else this.#socket.pong(data);
  }

  #isFull(): boolean {
    return this.#socket.bufferedAmount + this.#heldBytes > this.#limits.maxBufferedBytes;
  }

  #refuse(): void {
    const { maxBufferedBytes } = this.#limits;
    this.close(POLICY_VIOLATION, `More than ${maxBufferedBytes} bytes are waiting to be read`);
  }

  #hear(): void {
    this.#isAlive = true;
  }

  #stop(): void {
    this.#hub.leave(this);
    this.#messages.length = 0;
    this.#held.clear();
  }
}
