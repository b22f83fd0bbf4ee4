import type { Duplex } from 'node:stream';
import { gapText } from '../../ledger/subscriptions/gap-text.ts';
import type { Notification } from '../../rpc/notification.ts';
import { textFrame } from './text-frame.ts';

export type OutboxOptions = {
  /** Most bytes that wait beside what the connection itself buffers. */
  readonly limitBytes: number;
  /** Called once when more would have to wait; nothing is sent after it. */
  readonly onFull: () => void;
  /** Whether the connection is open both ways: nothing may follow a close frame (RFC 6455, section 5.5.1). */
  readonly isOpen: () => boolean;
  /** Told of each notification that a later one has taken the place of. */
  readonly onReplaced: () => void;
};

/** A notification that waits, and the slots of those whose place it took. */
type Waiting = { readonly notification: Notification; readonly replaced: readonly number[] };

/** What a waiting notification costs beside its frame, which it shares with others. */
const ENTRY_BYTES = 100;

/**
 * The notifications of one connection on their way out. While the connection takes no more, or the reply to a subscribe call is
 * still to be sent, they wait in order; of a subscription that says how something is now, the latest takes the place of the one that
 * waits, and the reader is told of the slots left out.
 */
export class Outbox {
  readonly #stream: Duplex;
  readonly #options: OutboxOptions;
  /** By id of the subscription where the latest is enough, else by a number below zero. */
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

  /** Lets notifications wait until `unblock` has been called as often. */
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
      this.#stream.write(notification.frame);
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

  /** Drops what waits on behalf of a subscription. */
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

  /** The latest of a subscription goes to the end: it must not overtake what waited before it. */
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
      this.#stream.write(notification.frame);
    }
  }
}

function sizeOf({ frame }: Notification): number {
  return frame.length + ENTRY_BYTES;
}

/** The first and the last slot of the notifications that make room for a later one. */
function slotsLeftOut(previous: Waiting | undefined): readonly number[] {
  const slot = previous?.notification.slot;
  return previous === undefined || slot === undefined ? [] : [previous.replaced[0] ?? slot, slot];
}
