import type { Duplex } from 'node:stream';
import { gapText } from '../../gateway/ledger/subscriptions/gap-text.ts';
import type { Notification } from '../../core/rpc/notification.ts';

export type OutboxOptions = {
  /** Maximum number of bytes that are queued in addition to the connection's own buffer. */
  readonly limitBytes: number;
  /** Called once when the queue is full; nothing is sent after it. */
  readonly onFull: () => void;
  /** True if the connection is open both ways: nothing may follow a close frame (RFC 6455, section 5.5.1). */
  readonly isOpen: () => boolean;
  /** Called for each notification that a later one has replaced. */
  readonly onReplaced: () => void;
  /** Called for each notification that was handed to the connection, with its `countedAs`. */
  readonly onSent: (countedAs: string) => void;
};

/** A queued notification, and the slots of those that it replaced. */
type Waiting = { readonly notification: Notification; readonly replaced: readonly number[] };

/** The cost of a queued notification without its frame, which it shares with others. */
const ENTRY_BYTES = 100;

/**
 * The outgoing notifications of one connection. While the connection takes no more, or the reply to a subscribe call is still
 * to be sent, they are queued in order. In a subscription to a current state the latest replaces the queued one, and the client
 * receives a gap notice for the slots that were left out.
 */
export class Outbox {
  readonly #stream: Duplex;
  readonly #options: OutboxOptions;
  /** By subscription id where only the latest is needed, else by a negative number. */
  readonly #waiting = new Map<number, Waiting>();
  #waitingBytes = 0;
  #nextKey = -1;
  #blocks = 0;
  #isClosed = false;

  constructor(stream: Duplex, options: OutboxOptions) {
    this.#stream = stream;
    this.#options = options;
    stream.on('drain', () => this.#send());
  }

  /** Queues notifications until `unblock` has been called as often. */
  block(): void {
    this.#blocks++;
  }

  unblock(): void {
    this.#blocks--;
    this.#send();
  }

  push(notification: Notification): void {
    if (this.#isClosed) return;
    if (this.#mayWrite() && this.#waiting.size === 0) {
      this.#write(notification);
      return;
    }
    const { subscription, isLatestOnly } = notification;
    const key = isLatestOnly ? subscription : this.#nextKey--;
    const previous = this.#waiting.get(key);
    if (previous !== undefined) this.#options.onReplaced();
    this.#put(key, { notification, replaced: slotsLeftOut(previous) });
    this.#waitingBytes += sizeOf(notification) - (previous === undefined ? 0 : sizeOf(previous.notification));
    if (this.#waitingBytes <= this.#options.limitBytes) return;
    this.close();
    this.#options.onFull();
  }

  /** Drops the queued notifications of a subscription. */
  forget(subscription: number): void {
    for (const [key, { notification }] of this.#waiting) {
      if (notification.subscription !== subscription) continue;
      this.#waiting.delete(key);
      this.#waitingBytes -= sizeOf(notification);
    }
  }

  /** Drops everything, and sends nothing any more. */
  close(): void {
    this.#isClosed = true;
    this.#waiting.clear();
    this.#waitingBytes = 0;
  }

  /** The latest of a subscription goes to the end: it must not overtake earlier ones in the queue. */
  #put(key: number, waiting: Waiting): void {
    this.#waiting.delete(key);
    this.#waiting.set(key, waiting);
  }

  #mayWrite(): boolean {
    return this.#blocks === 0 && this.#options.isOpen() && !this.#stream.writableNeedDrain;
  }

  #send(): void {
    for (const [key, { notification, replaced }] of this.#waiting) {
      if (!this.#mayWrite() || this.#isClosed) return;
      this.#waiting.delete(key);
      this.#waitingBytes -= sizeOf(notification);
      const [fromSlot, toSlot] = replaced;
      if (fromSlot !== undefined && toSlot !== undefined)
        this.#stream.write(textFrame(gapText(notification.subscription, { fromSlot, toSlot })));
      this.#write(notification);
    }
  }

  #write({ frame, countedAs }: Notification): void {
    this.#stream.write(frame);
    if (countedAs !== undefined) this.#options.onSent(countedAs);
  }
}

function sizeOf({ frame }: Notification): number {
  return frame.length + ENTRY_BYTES;
}

/** The first and the last slot of the replaced notifications. */
function slotsLeftOut(previous: Waiting | undefined): readonly number[] {
  const slot = previous?.notification.slot;
  return previous === undefined || slot === undefined ? [] : [previous.replaced[0] ?? slot, slot];
}

const FINAL_TEXT = 0x81;
const TWO_BYTES = 126;
const EIGHT_BYTES = 127;

/** Returns the single unmasked frame of a server's text message (RFC 6455, section 5.2), for any number of sockets. */
export function textFrame(text: Buffer): Buffer {
  const { length } = text;
  if (length < TWO_BYTES) return Buffer.concat([Buffer.from([FINAL_TEXT, length]), text]);
  if (length < 65_536) {
    const head = Buffer.from([FINAL_TEXT, TWO_BYTES, 0, 0]);
    head.writeUInt16BE(length, 2);
    return Buffer.concat([head, text]);
  }
  const head = Buffer.alloc(10);
  head[0] = FINAL_TEXT;
  head[1] = EIGHT_BYTES;
  head.writeUIntBE(length, 4, 6);
  return Buffer.concat([head, text]);
}
