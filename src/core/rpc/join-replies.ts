import type { Answer } from './replies.ts';

const CLOSE = Buffer.from(']\n');

/**
 * Returns the body that answers a batch, in unjoined parts; none if there is nothing to answer (an empty batch, or
 * notifications only).
 */
export function joinReplies(answers: readonly Answer[]): readonly Buffer[] {
  const replies = new JoinedItems();
  for (const parts of answers) if (parts !== undefined) replies.addParts(trimEnd(parts));
  return replies.close(CLOSE);
}

function trimEnd(parts: readonly Buffer[]): readonly Buffer[] {
  const end = parts[parts.length - 1];
  if (end !== undefined && (end[end.length - 1] ?? 0) > 0x20) return parts;
  const last = parts.findLastIndex((part) => part.some((byte) => byte > 0x20));
  const part = parts[last];
  return part === undefined ? [] : [...parts.slice(0, last), trimPart(part)];
}

function trimPart(part: Buffer): Buffer {
  let end = part.length;
  while (end > 0 && (part[end - 1] ?? 0) <= 0x20) end--;
  return part.subarray(0, end);
}

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
