const [OPEN, SEPARATOR] = [Buffer.from('['), Buffer.from(',')];
const COMMA = 0x2c;

/**
 * Joins items to a JSON array, in parts that are not copied. Items that lie side by side with a comma between them, as those that
 * came in one array do, stay one part.
 */
export class JoinedItems {
  readonly #parts: Buffer[] = [];
  /** The first and the last of the items that lie side by side, and all the memory that they lie in. */
  #first: Buffer | undefined;
  #last: Buffer | undefined;
  #memory: Buffer | undefined;

  add(item: Buffer): void {
    if (!this.#isNext(item)) {
      this.#separate();
      this.#first = item;
    }
    this.#last = item;
  }

  /** Adds an item that is in parts. */
  addParts(parts: readonly Buffer[]): void {
    const [only] = parts;
    if (only !== undefined && parts.length === 1) {
      this.add(only);
      return;
    }
    this.#separate();
    for (const part of parts) this.#parts.push(part);
  }

  /** The parts of the array, which ends with `end`; none if there are no items. */
  close(end: Buffer): readonly Buffer[] {
    this.#endRun();
    if (this.#parts.length > 0) this.#parts.push(end);
    return this.#parts;
  }

  #isNext(item: Buffer): boolean {
    const last = this.#last;
    if (last === undefined) return false;
    const comma = last.byteOffset + last.length;
    if (item.byteOffset !== comma + 1 || item.buffer !== last.buffer) return false;
    if (this.#memory?.buffer !== item.buffer) this.#memory = Buffer.from(item.buffer);
    return this.#memory[comma] === COMMA;
  }

  #separate(): void {
    this.#endRun();
    this.#parts.push(this.#parts.length === 0 ? OPEN : SEPARATOR);
  }

  #endRun(): void {
    const [first, last] = [this.#first, this.#last];
    if (first === undefined || last === undefined) return;
    const sizeBytes = last.byteOffset + last.length - first.byteOffset;
    this.#parts.push(first === last ? first : Buffer.from(first.buffer, first.byteOffset, sizeBytes));
    this.#first = undefined;
    this.#last = undefined;
  }
}
