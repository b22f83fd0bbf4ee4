import { LRUCache } from 'lru-cache';
import type { Entry } from './entry.ts';

const MAX_BYTES = 64 * 2 ** 20;
/** The messages of a block take as much memory again. */
const WITH_MESSAGES = 2;

/** Caches the last blocks that streams have read, up to 64 MiB. Concurrent requests for a block share one read. */
export class EntryCache<Key extends string | bigint> {
  readonly #entries = new LRUCache<Key, Entry>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ sizeBytes }) => Math.max(1, WITH_MESSAGES * sizeBytes),
  });
  /** Pending reads, apart from the cached blocks, whose number is bounded: each of these has a waiting request. */
  readonly #reading = new Map<Key, Promise<Entry | undefined>>();

  /** Returns the block of a key, reading it with `read` if it is not cached. @throws as `read`. */
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
