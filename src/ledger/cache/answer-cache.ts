import { LRUCache } from 'lru-cache';
import type { KeptAnswer } from './kept-answer.ts';

/** Answers in memory, up to a number of bytes; the one that was asked for longest ago goes first. */
export type AnswerCache = {
  readonly get: (key: string) => KeptAnswer | undefined;
  /** Keeps an answer, unless it is larger than `maxAnswerBytes`. */
  readonly put: (key: string, answer: KeptAnswer) => void;
  readonly sizeBytes: () => number;
  /** The largest answer that is kept: an eighth of the cache, so that one answer does not empty it. */
  readonly maxAnswerBytes: number;
};

/** What an entry costs beside its bytes: two buffers, their objects, the map, the list (measured with 200,000 small entries: 1,300 bytes of RSS). */
const ENTRY_BYTES = 1_300;
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;

/** A cache that holds at most `maxBytes`, keys and overhead included. */
export function createAnswerCache(maxBytes: number): AnswerCache {
  const maxAnswerBytes = Math.min(Math.floor(maxBytes / 8), LARGEST_ANSWER_BYTES);
  const answers = new LRUCache<string, KeptAnswer>({
    maxSize: maxBytes,
    sizeCalculation: ({ before, after }, key) => before.length + after.length + 2 * key.length + ENTRY_BYTES,
  });
  return {
    get: (key) => answers.get(key),
    put: (key, answer) => {
      if (answer.before.length + answer.after.length <= maxAnswerBytes) answers.set(key, answer);
    },
    sizeBytes: () => answers.calculatedSize,
    maxAnswerBytes,
  };
}
