import { LRUCache } from 'lru-cache';
import type { Entry } from './entry.ts';

const MAX_BYTES = 64 * 2 ** 20;
/** The messages of a block take as much again. */
const WITH_MESSAGES = 2;

/** Blocks that were read for one stream, at hand for the others: the last ones, up to 64 MiB. All who ask for one while it is read wait for it together. */
export class EntryCache<Key extends string | bigint> {
  readonly #entries = new LRUCache<Key, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ sizeBytes }) => Math.max(1, WITH_MESSAGES * sizeBytes),
  });
  /** Apart from those that are there, whose number is bounded: somebody waits for each of these. */
  readonly #reading = new Map<Key, Promise<Entry | undefined>>();

  /** Returns the block of a key, which `read` reads if it is not at hand. @throws as `read`. */
  async get(key: Key, read: () => Promise<Entry | undefined>): Promise<Entry | undefined> {
    return this.#entries.get(key) ?? (await (this.#reading.get(key) ?? this.#read(key, read)));
  }

  #read(key: Key, read: () => Promise<Entry | undefined>): Promise<Entry | undefined> {
    const reading = read()
      .then((entry) => {
        if (entry !== undefined) this.#entries.set(key, entry);
        return entry;
      })
      .finally(() => this.#reading.delete(key));
    this.#reading.set(key, reading);
    return reading;
  }
}
