import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** Takes a part. False: the part is not done with, and no other is wanted, until `goOn` is called. */
export type TakePart = (part: Buffer) => boolean;

/** Sees what a stream carries on its way. It neither keeps the parts nor throws. */
export type PartWatcher = {
  readonly onPart: (part: Buffer) => void;
  /** Nothing comes behind the parts. A stream that breaks off or is destroyed before only closes. */
  readonly onEnd: () => void;
};

export type LentStreamOptions = {
  readonly highWaterMark: number;
  /** More is wanted; all that was lent before is done with. */
  readonly onWanted: () => void;
  readonly destroy: () => void;
};

/**
 * A stream whose parts need not be copied out of what they were read into. Who reads it as a `Readable` gets copies; who borrows, instead
 * of reading, gets the bytes themselves.
 */
export class LentStream extends Readable {
  readonly #onWanted: () => void;
  /** Lent before anybody reads. */
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

  /** The next part. False: nothing more before `onWanted`, and until then `bytes` must stay as they are; true: they are done with. */
  lend(bytes: Buffer): boolean {
    this.#watcher?.onPart(bytes);
    if (this.#take !== undefined) return this.#take(bytes);
    if (this.#first === undefined) return this.push(Buffer.from(bytes));
    this.#first.push(bytes);
    return false;
  }

  /** Nothing comes behind what was lent. To readers the end is told behind the parts, which a `Readable` that has ended would not ask for. */
  finish(): void {
    this.#isWhole = true;
    this.#watcher?.onEnd();
    if (this.#first === undefined) this.push(null);
  }

  /** Lets somebody see all parts, those that were lent before too. The stream goes on as if nobody did. @returns false if somebody reads it already. */
  watch(watcher: PartWatcher): boolean {
    if (this.#first === undefined || this.#watcher !== undefined) return false;
    this.#watcher = watcher;
    for (const part of this.#first) watcher.onPart(part);
    if (this.#isWhole) watcher.onEnd();
    return true;
  }

  /** Hands the parts to `take` as they come, in place of reading. Resolves behind the last of them; rejects when the stream breaks off. */
  async borrow(take: TakePart): Promise<void> {
    this.#take = take;
    let isWanted = true;
    for (const part of this.#takeFirst()) if (!take(part)) isWanted = false;
    this.#goOnBehindFirst(isWanted);
    this.resume();
    await finished(this);
  }

  /** What was borrowed is done with, all of it. */
  goOn(): void {
    this.#onWanted();
  }

  override _read(): void {
    if (this.#take !== undefined) return;
    for (const part of this.#takeFirst()) this.push(Buffer.from(part));
    this.#goOnBehindFirst(true);
  }

  #goOnBehindFirst(isWanted: boolean): void {
    if (this.#isWhole) this.push(null);
    else if (isWanted) this.#onWanted();
  }

  #takeFirst(): readonly Buffer[] {
    const first = this.#first ?? [];
    this.#first = undefined;
    return first;
  }
}
