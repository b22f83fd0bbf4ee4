import type { Duplex } from 'node:stream';
import type { RawData, WebSocket } from 'ws';
import { CallSignal } from '../../core/rpc/call-signal.ts';
import type { Context } from '../../core/rpc/context.ts';
import type { Caller } from '../access/authenticate.ts';
import type { ConnectedKey } from '../access/key-standing.ts';
import type { MessageTally } from '../access/message-tallies.ts';
import type { SocketMetrics, LiveSocket, LiveSockets } from './live-sockets.ts';
import type { Notification, Subscriber } from '../../core/rpc/notification.ts';
import type { ReplyMemory } from '../../core/rpc/reply-memory.ts';
import { turnToAnswer } from '../../core/rpc/semaphore.ts';
import { closeOf, type ServiceError, serviceError, toServiceError } from '../../core/service-error.ts';
import type { ConnectionOwner } from '../connections/connection.ts';
import type { Message } from '../../core/rpc/call.ts';
import { Outbox } from './outbox.ts';

/** The dependencies of a connection. */
export type SessionOptions = {
  /**
   * Admits a message: returns its calls, once the key's plan has allowed them; an answer instead of calls; undefined: nothing
   * to do. Throws the ServiceError that ends the connection.
   */
  readonly takeIn: (body: Buffer, caller: Caller) => Promise<Taken | undefined>;
  /** Answers the calls of a message. Never rejects; undefined: there is nothing to answer. */
  readonly answer: (message: Message, context: Context) => Promise<Buffer | undefined>;
  /** Ends the subscriptions of a closed connection. */
  readonly leave: (subscriber: Subscriber) => void;
  /** Returns the error of a connection whose key no longer allows it. */
  readonly refusalOf: (caller: SocketCaller, subscriber: Subscriber) => ServiceError | undefined;
  /** Records what a notification has shown its receiver. */
  readonly noteSeen?: ((notification: Notification, caller: Caller) => void) | undefined;
  readonly replyMemory: ReplyMemory;
  readonly sockets: LiveSockets;
  readonly metrics: SocketMetrics;
  /** Opens the tally of the notifications of a connection. */
  readonly openTally: (keyId: string) => MessageTally;
  readonly maxCalls: number;
  /** Maximum number of bytes of messages that are being answered; above it, no more are read. */
  readonly maxBodyBytes: number;
  readonly maxSubscriptions: number;
  readonly maxWaitingBytes: number;
  readonly idleTimeoutMs: number;
};

export type Taken =
  | { readonly kind: 'message'; readonly message: Message }
  | { readonly kind: 'answer'; readonly body: Buffer };

const CLIENT_LEFT = new Error('the client has left');
/** RFC 6455, section 7.4.1: the close frame had no code. */
const NO_CODE = 1005;
const LOST = 1006;
const NORMAL = 1000;
/** Number of messages after which a connection yields to all others. */
const MOST_IN_TURN = 100;
const GOING_AWAY = 1001;
/** An unexpected condition on the server. */
const INTERNAL_ERROR = 1011;

/** The caller of a connection, and the address that was requested. */
export type SocketCaller = Caller & ConnectedKey & Pick<Context, 'askedAt'>;

/** One client's WebSocket: its calls in order of arrival, its notifications, and its end. */
export class SocketSession implements LiveSocket, Subscriber, ConnectionOwner {
  readonly #socket: WebSocket;
  readonly #stream: Duplex;
  readonly #caller: SocketCaller;
  readonly #options: SessionOptions;
  readonly #outbox: Outbox;
  readonly #tally: MessageTally;
  readonly #waiting: Buffer[] = [];
  readonly #signals = new Set<CallSignal>();
  #underWay = 0;
  #received = 0;
  #heldBytes = 0;
  #subscriptions = 0;
  #isTaking = false;
  #inTurn = 0;
  #isWaitingForTurn = false;
  #isFinishing = false;
  #endedBy: ServiceError | undefined;
  #isGone = false;
  /** True if the received bytes are not WebSocket, or break one of its limits. */
  #isBroken = false;
  #aliveAtMs: number;
  #takenBytes = 0;
  #pingedAtMs = 0;

  constructor(socket: WebSocket, stream: Duplex, caller: SocketCaller, options: SessionOptions) {
    this.#socket = socket;
    this.#stream = stream;
    this.#caller = caller;
    this.#options = options;
    this.#aliveAtMs = options.sockets.ownMs;
    const { maxWaitingBytes: limitBytes, metrics } = options;
    this.#tally = options.openTally(caller.keyId);
    this.#outbox = new Outbox(stream, {
      limitBytes,
      onFull: () => this.#end(serviceError('readerTooSlow', { limit: limitBytes })),
      isOpen: () => socket.readyState === socket.OPEN,
      onReplaced: metrics.countReplaced,
      onSent: (countedAs) => this.#tally.add(countedAs),
    });
    const isAlive = (): void => {
      this.#aliveAtMs = options.sockets.ownMs;
    };
    socket.on('message', (data) => this.#receive(data));
    socket.on('ping', isAlive).on('pong', isAlive);
    socket.on('error', () => {
      this.#isBroken = true;
    });
    socket.once('close', (code) => this.#takeClose(code));
    options.sockets.add(this);
  }

  get keyId(): string {
    return this.#caller.keyId;
  }

  get accountId(): string {
    return this.#caller.accountId;
  }

  reserve(): void {
    const { sockets, maxSubscriptions: limit } = this.#options;
    if (this.#subscriptions >= limit) {
      const remedy = 'unsubscribe from some, or open another connection';
      const value = this.#subscriptions;
      throw serviceError('subscriptionLimitReached', { scope: 'connection', limit, value, remedy });
    }
    sockets.reserveSubscription(this.keyId);
    this.#subscriptions++;
  }

  release(): void {
    this.#options.sockets.releaseSubscription(this.keyId);
    this.#subscriptions--;
  }

  deliver(notification: Notification): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#options.noteSeen?.(notification, this.#caller);
    this.#outbox.push(notification);
  }

  forget(subscription: number): void {
    this.#outbox.forget(subscription);
  }

  isInUse(): boolean {
    return this.#subscriptions > 0 || this.#underWay > 0 || this.#waiting.length > 0;
  }

  progress(): number {
    return this.#received;
  }

  shed(reason: ServiceError): void {
    this.#end(reason);
  }

  watch(ownMs: number): void {
    if (this.#isGone || this.#endedBy !== undefined) return;
    const refusal = this.#options.refusalOf(this.#caller, this);
    if (refusal !== undefined) this.#end(refusal);
    else this.#watchSilence(ownMs);
  }

  #watchSilence(ownMs: number): void {
    const { idleTimeoutMs: limitMs } = this.#options;
    if (this.#takesSomething() || this.#isReadingPaused()) this.#aliveAtMs = ownMs;
    const silentMs = ownMs - this.#aliveAtMs;
    if (silentMs >= limitMs) {
      this.#end(serviceError('socketIdle', { limitMs }));
    } else if (silentMs >= limitMs / 2 && ownMs - this.#pingedAtMs >= limitMs / 2) {
      this.#pingedAtMs = ownMs;
      this.#socket.ping();
    }
  }

  finish(): void {
    this.#isFinishing = true;
    this.#socket.pause();
    this.#waiting.length = 0;
    if (this.#underWay === 0) this.leave();
  }

  leave(): void {
    this.#socket.resume();
    this.#end(serviceError('serverStopping'));
  }

  cut(): void {
    this.#socket.terminate();
  }

  /** Only while calls are answered: a client that does not read the answers still times out. */
  #isReadingPaused(): boolean {
    return this.#socket.isPaused && this.#stream.writableLength === 0;
  }

  /** True if the peer has taken bytes since the last call. */
  #takesSomething(): boolean {
    const written = 'bytesWritten' in this.#stream ? Number(this.#stream.bytesWritten) : 0;
    const taken = written - this.#stream.writableLength;
    const isMore = taken > this.#takenBytes && this.#stream.writableLength > 0;
    this.#takenBytes = taken;
    return isMore;
  }

  #receive(data: RawData): void {
    this.#aliveAtMs = this.#options.sockets.ownMs;
    this.#received++;
    if (this.#isFinishing || this.#endedBy !== undefined) return;
    const body = toBuffer(data);
    this.#waiting.push(body);
    this.#heldBytes += body.length;
    if (++this.#inTurn >= MOST_IN_TURN) this.#waitForTurn();
    this.#applyBackpressure();
    void this.#takeIn();
  }

  #waitForTurn(): void {
    this.#inTurn = 0;
    if (this.#isWaitingForTurn) return;
    this.#isWaitingForTurn = true;
    setImmediate(() => {
      this.#isWaitingForTurn = false;
      this.#applyBackpressure();
    });
  }

  /** Pauses reading while there is no room for more messages, or while other connections take their turn. */
  #applyBackpressure(): void {
    const { maxCalls, maxBodyBytes } = this.#options;
    const isFull = this.#underWay + this.#waiting.length >= maxCalls || this.#heldBytes >= maxBodyBytes;
    const isToPause = isFull || this.#isWaitingForTurn;
    if (isToPause && !this.#socket.isPaused) this.#socket.pause();
    else if (!isToPause && this.#socket.isPaused && !this.#isFinishing) this.#socket.resume();
  }

  /** Messages are admitted one after the other by the key's plan; their calls then run concurrently. */
  async #takeIn(): Promise<void> {
    if (this.#isTaking) return;
    this.#isTaking = true;
    while (this.#underWay < this.#options.maxCalls && !this.#isGone) {
      const body = this.#waiting.shift();
      if (body === undefined) break;
      this.#underWay++;
      try {
        const taken = await this.#options.takeIn(body, this.#caller);
        if (this.#isGone) this.#done(body.length);
        else if (taken?.kind === 'message') void this.#answer(taken.message, body.length);
        else this.#send(taken?.body, () => this.#done(body.length));
      } catch (error) {
        this.#end(toServiceError(error));
        this.#done(body.length);
      }
    }
    this.#isTaking = false;
  }

  async #answer(message: Message, sizeBytes: number): Promise<void> {
    const [signal, hold] = [new CallSignal(), this.#options.replyMemory.hold(this.#caller.accountId)];
    let blocks = 0;
    const added = (): void => {
      blocks++;
      this.#outbox.block();
    };
    this.#signals.add(signal);
    const context = { ...this.#caller, signal, hold, listener: { subscriber: this, added } };
    const reply = await this.#options.answer(message, context);
    const turn = turnToAnswer();
    if (turn !== undefined) await turn;
    this.#signals.delete(signal);
    hold.deliver(() => this.#breakOff(serviceError('answerTakenTooSlowly')));
    this.#send(reply, () => {
      hold.release();
      this.#done(sizeBytes);
    });
    for (; blocks > 0; blocks--) this.#outbox.unblock();
  }

  /** A message is done when the connection has taken its answer: a client that does not read is not read from. */
  #send(body: Buffer | undefined, onSent: () => void): void {
    if (body === undefined || this.#socket.readyState !== this.#socket.OPEN) onSent();
    else this.#socket.send(trimEnd(body), { binary: false }, onSent);
  }

  #done(sizeBytes: number): void {
    this.#underWay--;
    this.#heldBytes -= sizeBytes;
    if (this.#isGone) return;
    if (this.#isFinishing && this.#underWay === 0) this.leave();
    this.#applyBackpressure();
    void this.#takeIn();
  }

  #end(error: ServiceError): void {
    if (this.#endedBy !== undefined || this.#isGone) return;
    this.#endedBy = error;
    this.#outbox.close();
    this.#waiting.length = 0;
    this.#socket.resume();
    const close = closeOf(error);
    if (close === undefined) this.#socket.close(INTERNAL_ERROR);
    else this.#socket.close(close.code, close.reason);
  }

  /** Ends it without a close frame, which would have to wait for what the client does not read. */
  #breakOff(error: ServiceError): void {
    this.#endedBy ??= error;
    this.#outbox.close();
    this.#socket.terminate();
  }

  #takeClose(code: number): void {
    this.#isGone = true;
    this.#outbox.close();
    this.#tally.close();
    this.#waiting.length = 0;
    for (const signal of this.#signals) signal.abort(CLIENT_LEFT);
    this.#options.leave(this);
    this.#options.sockets.remove(this, this.#endedBy?.code ?? (this.#isBroken ? 'protocol' : reasonOf(code)));
  }
}

function reasonOf(code: number): string {
  if (code === NORMAL || code === GOING_AWAY || code === NO_CODE) return 'client';
  return code === LOST ? 'lost' : 'protocol';
}

/** Returns the bytes of a received message. */
function toBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
}

const NEWLINE = 0x0a;

/** Returns a reply as a message: replies over HTTP end with a newline, messages do not. */
function trimEnd(body: Buffer): Buffer {
  return body.at(-1) === NEWLINE ? body.subarray(0, -1) : body;
}
