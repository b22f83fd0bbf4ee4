import type { CountPushed } from './usage-book.ts';

/** Counts the messages that are pushed over one connection. */
export type MessageTally = {
  /** Counts a message under a method of the specification. */
  readonly add: (method: string) => void;
  /** Reports the remaining counts. Call it when the connection has ended; nothing may be added after it. */
  readonly close: () => void;
};

/** Opens the tally of a connection of a key to a network. */
export type OpenTally = (keyId: string, network: string) => MessageTally;

const COLLECT_MS = 1_000;

/** The tallies of all connections of a process, reported to `countPushed` each second. */
export class MessageTallies {
  readonly #countPushed: CountPushed;
  readonly #open = new Set<Tally>();
  readonly #timer = setInterval(() => this.collect(), COLLECT_MS).unref();

  constructor(countPushed: CountPushed) {
    this.#countPushed = countPushed;
  }

  readonly open: OpenTally = (keyId, network) => {
    const handOn = (method: string, messages: number): void =>
      this.#countPushed({ keyId, network, method, messages });
    const tally = new Tally(handOn, () => void this.#open.delete(tally));
    this.#open.add(tally);
    return tally;
  };

  /** Reports the counts of every tally. */
  collect(): void {
    for (const tally of this.#open) tally.collect();
  }

  /** Collects for the last time. */
  close(): void {
    clearInterval(this.#timer);
    this.collect();
  }
}

/** Most connections receive messages of one kind, or of one kind after another: counting a message is a single addition then. */
class Tally implements MessageTally {
  readonly #handOn: (method: string, messages: number) => void;
  readonly #onClose: () => void;
  #method = '';
  #messages = 0;

  constructor(handOn: (method: string, messages: number) => void, onClose: () => void) {
    this.#handOn = handOn;
    this.#onClose = onClose;
  }

  add(method: string): void {
    if (method !== this.#method) {
      this.collect();
      this.#method = method;
    }
    this.#messages++;
  }

  collect(): void {
    if (this.#messages === 0) return;
    const messages = this.#messages;
    this.#messages = 0;
    this.#handOn(this.#method, messages);
  }

  close(): void {
    this.collect();
    this.#onClose();
  }
}
