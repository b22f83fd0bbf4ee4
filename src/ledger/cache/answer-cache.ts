import { LRUCache } from 'lru-cache';
import type { KeptAnswer } from './kept-answer.ts';

/** Answers in memory, up to a number of bytes; the one that was asked for longest ago goes first. */
export type AnswerCache = {
  /** What is kept and whose time is not over at `nowMs`. */
  readonly get: (key: string, nowMs: number) => KeptAnswer | undefined;
  /** Keeps an answer, unless it is larger than `maxAnswerBytes` or its time is over. Whether it did. */
  readonly put: (key: string, answer: KeptAnswer, time: KeptTime) => boolean;
  readonly sizeBytes: () => number;
  /** The largest answer that is kept: an eighth of the cache, so that one answer does not empty it. */
  readonly maxAnswerBytes: number;
};

/** When an answer comes, and from when on it is not handed out any more; `Infinity`: it holds for ever. */
export type KeptTime = { readonly untilMs: number; readonly nowMs: number };

type Entry = Pick<KeptTime, 'untilMs'> & { readonly answer: KeptAnswer };

/** What an entry costs beside its bytes: two buffers, their objects, the map, the list (measured with 200,000 small entries: 1,300 bytes of RSS). */
const ENTRY_BYTES = 1_300;
const LARGEST_ANSWER_BYTES = 16 * 1024 * 1024;

/** A cache that holds at most `maxBytes`, keys and overhead included. */
export function createAnswerCache(maxBytes: number): AnswerCache {
  const maxAnswerBytes = Math.min(Math.floor(maxBytes / 8), LARGEST_ANSWER_BYTES);
  const answers = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ answer }, key) => sizeOf(answer) + 2 * key.length + ENTRY_BYTES,
  });
  /** What is not kept for ever, in the order it came. */
  const passing = new Map<string, number>();
  return {
    get: (key, nowMs) => {
      const entry = answers.get(key);
      return entry !== undefined && nowMs < entry.untilMs ? entry.answer : undefined;
    },
    put: (key, answer, { untilMs, nowMs }) => {
      forgetPassed(nowMs);
      if (sizeOf(answer) > maxAnswerBytes || untilMs <= nowMs) return false;
      answers.set(key, { answer, untilMs });
      if (untilMs !== Infinity) passing.set(key, untilMs);
      return true;
    },
    sizeBytes: () => answers.calculatedSize,
    maxAnswerBytes,
  };

  /** Nobody asks for what is over: it would push out what holds for ever. */
  function forgetPassed(nowMs: number): void {
    for (const [key, untilMs] of passing) {
      if (nowMs < untilMs) return;
      passing.delete(key);
      answers.delete(key);
    }
  }
}

function sizeOf({ before, after }: KeptAnswer): number {
  return before.length + after.length;
}
