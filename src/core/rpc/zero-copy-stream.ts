import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** Takes a part. False: the part is still in use, and no other is wanted, until `goOn` is called. */
export type TakePart = (part: Buffer) => boolean;

/** Observes the parts of a stream as they pass. It neither keeps the parts nor throws. */
export type PartWatcher = {
  readonly onPart: (part: Buffer) => void;
  /** The last part has passed. A stream that breaks off or is destroyed earlier only emits `close`. */
  readonly onEnd: () => void;
};

export type LentStreamOptions = {
  readonly highWaterMark: number;
  /** More is wanted; all parts lent before are no longer in use. */
  readonly onWanted: () => void;
  readonly destroy: () => void;
};

/**
 * A stream whose parts can be used in place, in the buffer that they were read into. Reading it as a `Readable` copies them;
 * borrowing them does not.
 */
export class LentStream extends Readable {
  readonly #onWanted: () => void;
  /** Parts lent before anyone reads. */
  #first: Buffer[] | undefined = [];
  #take: TakePart | undefined;
  #watcher: PartWatcher | undefined;
  #isWhole = false;

  constructor({ highWaterMark, onWanted, destroy }: LentStreamOptions) {
    super({
      highWaterMark,
      destroy: (error, done) => {
        destroy();
        done(error);
      },
    });
    this.#onWanted = onWanted;
  }

  /**
   * Lends the next part. False: lend nothing more before `onWanted`, and leave `bytes` unchanged until then; true: the bytes
   * are no longer in use.
   */
  lend(bytes: Buffer): boolean {
    this.#watcher?.onPart(bytes);
    if (this.#take !== undefined) return this.#take(bytes);
    if (this.#first === undefined) return this.push(Buffer.from(bytes));
    this.#first.push(bytes);
    return false;
  }

  /** Ends the stream. For readers the end is queued behind the parts, because an ended `Readable` would not ask for them. */
  finish(): void {
    this.#isWhole = true;
    this.#watcher?.onEnd();
    if (this.#first === undefined) this.push(null);
  }

  /**
   * Shows a watcher all parts, including those lent before. The stream itself is unaffected. @returns false if it is already
   * being read.
   */
  watch(watcher: PartWatcher): boolean {
    if (this.#first === undefined || this.#watcher !== undefined) return false;
    this.#watcher = watcher;
    for (const part of this.#first) watcher.onPart(part);
    if (this.#isWhole) watcher.onEnd();
    return true;
  }

  /** Passes the parts to `take` as they come, instead of reading. Resolves after the last one; rejects when the stream breaks off. */
  async borrow(take: TakePart): Promise<void> {
    this.#take = take;
    let isWanted = true;
    for (const part of this.#takeFirst()) if (!take(part)) isWanted = false;
    this.#continueAfterFirst(isWanted);
    this.resume();
    await finished(this);
  }

  /** Declares everything that was borrowed no longer in use. */
  goOn(): void {
    this.#onWanted();
  }

  override _read(): void {
    if (this.#take !== undefined) return;
    for (const part of this.#takeFirst()) this.push(Buffer.from(part));
    this.#continueAfterFirst(true);
  }

  #continueAfterFirst(isWanted: boolean): void {
    if (this.#isWhole) this.push(null);
    else if (isWanted) this.#onWanted();
  }

  #takeFirst(): readonly Buffer[] {
    const first = this.#first ?? [];
    this.#first = undefined;
    return first;
  }
}
