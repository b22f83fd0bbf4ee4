import { existsSync, readFileSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { errorKind, optionProblem } from '../genesis-options/option-problem.ts';
import type { Cassette } from './cassette.ts';
import { cassetteLines, readCassette } from './cassette-text.ts';

const MAX_FILE_BYTES = 512 * 1024 * 1024;
const WAIT_MS = 500;
const CHUNK_CHARACTERS = 1024 * 1024;

/** Reads the cassette of a file; undefined: there is no such file. @throws ServiceError invalidConfig naming the file and the line. */
export function readCassetteFile(path: string): Cassette | undefined {
  if (!existsSync(path)) return undefined;
  let bytes: Buffer;
  try {
    const { size } = statSync(path);
    if (size > MAX_FILE_BYTES)
      throw optionProblem(`--cassette: ${path} has ${size} bytes, and the limit is ${MAX_FILE_BYTES}`);
    bytes = readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'syscall' in error)
      throw optionProblem(`--cassette: ${path} cannot be read (${errorKind(error)})`, error);
    throw error;
  }
  const read = readCassette(bytes);
  if (read.kind === 'fault') throw optionProblem(`--cassette: ${path} is not a cassette: ${read.reason}`);
  return read.cassette;
}

/**
 * Keeps a cassette in a file, half a second after it grew and at the end. What another process has recorded there meanwhile is taken over, so
 * that tests which record side by side lose nothing but what two write in the same moment.
 */
export class CassetteFile {
  readonly #path: string;
  readonly #cassette: Cassette;
  readonly #onFailure: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #isDirty = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(path: string, cassette: Cassette, onFailure: (error: unknown) => void) {
    this.#path = path;
    this.#cassette = cassette;
    this.#onFailure = onFailure;
  }

  /** Call it when the cassette grew. */
  grew(): void {
    this.#isDirty = true;
    this.#timer ??= setTimeout(() => this.#flush(), WAIT_MS).unref();
  }

  /** Writes what is not written yet. */
  async close(): Promise<void> {
    this.#flush();
    await this.#writing;
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isDirty) return;
    this.#isDirty = false;
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error: unknown) => {
        this.#isDirty = true;
        this.#onFailure(error);
      });
  }

  async #write(): Promise<void> {
    const present = readCassetteFile(this.#path);
    if (present?.genesisHash === this.#cassette.genesisHash) this.#cassette.merge(present);
    const temporary = `${this.#path}.${process.pid}.tmp`;
    const file = await open(temporary, 'w', 0o644);
    try {
      let chunk = '';
      for (const line of cassetteLines(this.#cassette)) {
        chunk += line;
        if (chunk.length < CHUNK_CHARACTERS) continue;
        await file.write(chunk);
        chunk = '';
      }
      await file.write(chunk);
      await file.sync();
    } finally {
      await file.close();
    }
    renameSync(temporary, this.#path);
  }
}
