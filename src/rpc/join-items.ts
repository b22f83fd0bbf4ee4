const [OPEN, SEPARATOR, NOWHERE] = [Buffer.from('['), Buffer.from(','), Buffer.alloc(0)];
const COMMA = 0x2c;

/**
 * Joins items to a JSON array, in parts that are not copied. Adjacent items with a comma between them, such as those received
 * in one array, stay one part.
 */
export class JoinedItems {
  readonly #parts: Buffer[] = [];
  /** The start and end of the current run of adjacent items, as offsets in the underlying memory. */
  #hasRun = false;
  #memory: Buffer = NOWHERE;
  #start = 0;
  #end = 0;

  add(item: Buffer): void {
    const { byteOffset } = item;
    const isNext =
      byteOffset === this.#end + 1 &&
      this.#hasRun &&
      item.buffer === this.#memory.buffer &&
      this.#memory[this.#end] === COMMA;
    if (!isNext) this.#begin(item);
    this.#end = byteOffset + item.length;
  }

  /** Adds an item given in parts. */
  addParts(parts: readonly Buffer[]): void {
    const [only] = parts;
    if (only !== undefined && parts.length === 1) {
      this.add(only);
      return;
    }
    this.#separate();
    for (const part of parts) this.#parts.push(part);
  }

  /** Returns the parts of the array, followed by `end`; none if there are no items. */
  close(end: Buffer): readonly Buffer[] {
    this.#endRun();
    if (this.#parts.length > 0) this.#parts.push(end);
    return this.#parts;
  }

  #begin(item: Buffer): void {
    this.#separate();
    this.#hasRun = true;
    this.#start = item.byteOffset;
    if (this.#memory.buffer !== item.buffer) this.#memory = Buffer.from(item.buffer);
  }

  #separate(): void {
    this.#endRun();
    this.#parts.push(this.#parts.length === 0 ? OPEN : SEPARATOR);
  }

  #endRun(): void {
    if (this.#hasRun) this.#parts.push(this.#memory.subarray(this.#start, this.#end));
    this.#hasRun = false;
  }
}
