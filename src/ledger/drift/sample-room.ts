export type RoomOptions = {
  /** Answers that are being collected, or wait to be checked. */
  readonly maxAnswers: number;
  /** Of all of them together. */
  readonly maxBytes: number;
  /** Of one answer. */
  readonly maxAnswerBytes: number;
  readonly nowMs: () => number;
};

/** Bytes of its own, which can be handed to another thread. */
export type OwnBytes = Uint8Array<ArrayBuffer>;

/** A slow client keeps its answer coming; from then on it gives way to another. */
const SLOW_MS = 30_000;

/** The memory for copies of answers, of all nodes together. What finds no room is not looked at. */
export class SampleRoom {
  readonly #options: RoomOptions;
  readonly #samples = new Set<Sample>();
  #bytes = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** Whether an answer of so many bytes never finds room. */
  isTooLarge(sizeBytes: number): boolean {
    return sizeBytes > this.#options.maxAnswerBytes;
  }

  get answers(): number {
    return this.#samples.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Begins a copy of an answer of so many bytes, as far as that is known. */
  begin(sizeBytes = 0): Sample | undefined {
    const { maxBytes, maxAnswerBytes } = this.#options;
    if (this.isTooLarge(sizeBytes)) return undefined;
    const startedAtMs = this.#options.nowMs();
    if (!this.#hasRoom(sizeBytes)) this.#dropSlowest(startedAtMs);
    if (!this.#hasRoom(sizeBytes)) return undefined;
    const sample = new Sample(startedAtMs, {
      reserve: (bytes, ownBytes) => {
        if (ownBytes + bytes > maxAnswerBytes || this.#bytes + bytes > maxBytes) return false;
        this.#bytes += bytes;
        return true;
      },
      release: (bytes) => {
        this.#bytes -= bytes;
        this.#samples.delete(sample);
      },
    });
    this.#samples.add(sample);
    return sample;
  }

  #hasRoom(sizeBytes: number): boolean {
    const { maxAnswers, maxBytes } = this.#options;
    return this.#samples.size < maxAnswers && this.#bytes + sizeBytes <= maxBytes;
  }

  #dropSlowest(nowMs: number): void {
    const slowest = this.#samples.values().find(({ isWhole }) => !isWhole);
    if (slowest !== undefined && nowMs - slowest.startedAtMs > SLOW_MS) slowest.close();
  }
}

type Memory = {
  readonly reserve: (bytes: number, ownBytes: number) => boolean;
  readonly release: (bytes: number) => void;
};

/** A copy of one answer, as far as it has come. */
export class Sample {
  readonly startedAtMs: number;
  /** Whether all of it is there. */
  isWhole = false;
  readonly #memory: Memory;
  #parts: OwnBytes[] = [];
  #bytes = 0;
  #isClosed = false;

  constructor(startedAtMs: number, memory: Memory) {
    this.startedAtMs = startedAtMs;
    this.#memory = memory;
  }

  get parts(): readonly OwnBytes[] {
    return this.#parts;
  }

  /** Copies what comes next. Without room for it the answer is given up. */
  add(part: Buffer): void {
    const copy = this.copy(part);
    if (copy !== undefined) this.#parts.push(copy);
  }

  /** Copies what belongs to the answer. Without room for it the answer is given up. */
  copy(bytes: Buffer): OwnBytes | undefined {
    if (this.#isClosed) return undefined;
    if (!this.#memory.reserve(bytes.length, this.#bytes)) {
      this.close();
      return undefined;
    }
    this.#bytes += bytes.length;
    return new Uint8Array(bytes);
  }

  /** All of it has come. @returns false if it was given up. */
  finish(): boolean {
    if (this.#isClosed) return false;
    this.isWhole = true;
    return true;
  }

  /** Gives its memory back. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts = [];
    this.#memory.release(this.#bytes);
  }
}
