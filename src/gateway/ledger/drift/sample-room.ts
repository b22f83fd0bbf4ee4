export type RoomOptions = {
  /** Answers that are being collected, or wait to be checked. */
  readonly maxAnswers: number;
  /** Total of all answers. */
  readonly maxBytes: number;
  /** Limit per answer. */
  readonly maxAnswerBytes: number;
  readonly nowMs: () => number;
};

/** Bytes that own their memory and can be transferred to another thread. */
export type OwnBytes = Uint8Array<ArrayBuffer>;

/** A slow client delays its answer; after this long the sample can be replaced. */
const SLOW_MS = 30_000;

/** The memory for copies of answers, shared by all nodes. An answer without room is not checked. */
export class SampleRoom {
  readonly #options: RoomOptions;
  readonly #samples = new Set<Sample>();
  #bytes = 0;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** True if an answer of this size never fits. */
  isTooLarge(sizeBytes: number): boolean {
    return sizeBytes > this.#options.maxAnswerBytes;
  }

  get answers(): number {
    return this.#samples.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Begins a copy of an answer of this size, as far as it is known. */
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

/** A copy of one answer as it arrives. */
export class Sample {
  readonly startedAtMs: number;
  /** True once all of it has arrived. */
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

  /** Copies the next part. Without room for it the sample is dropped. */
  add(part: Buffer): void {
    const copy = this.copy(part);
    if (copy !== undefined) this.#parts.push(copy);
  }

  /** Copies bytes that belong to the answer. Without room for them the sample is dropped. */
  copy(bytes: Buffer): OwnBytes | undefined {
    if (this.#isClosed) return undefined;
    if (!this.#memory.reserve(bytes.length, this.#bytes)) {
      this.close();
      return undefined;
    }
    this.#bytes += bytes.length;
    return new Uint8Array(bytes);
  }

  /** Marks the copy as complete. @returns false if it was dropped. */
  finish(): boolean {
    if (this.#isClosed) return false;
    this.isWhole = true;
    return true;
  }

  /** Releases its memory. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#parts = [];
    this.#memory.release(this.#bytes);
  }
}
