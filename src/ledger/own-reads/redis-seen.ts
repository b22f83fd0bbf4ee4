import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openRedisLink, type RedisClient, type RedisLink } from '../../base/redis-link.ts';
import type { SeenReport, SeenReporter } from './seen-reports.ts';
import { readSeenRecords, writeSeenRecords } from './seen-records.ts';
import { REMEMBERED_MS } from './seen-slots.ts';
import { StreamWindow } from './stream-window.ts';

/** What is kept of the last minute for gateways that start: the newest reports of up to these bytes. */
const MAX_BYTES = 16 * 1024 * 1024;
/** Kept beyond those, for reports that are on their way here. */
const ON_THEIR_WAY = 16;
const REPORTS_AT_ONCE = 200;
/** A read waits this long for the next report. */
const WAIT_MS = 500;
const READ_ANSWER_MS = 2_000;
const RETRY_MS = 500;

export type RedisSeenOptions = {
  readonly url: string;
  readonly prefix: string;
  /** Called with what another gateway has told, and how many milliseconds ago. */
  readonly onReport: (report: SeenReport, ageMs: number) => void;
  readonly onUp: () => void;
  readonly onLost: (reason: string) => void;
  /** About how many bytes the stream may hold. Default 16 MiB. */
  readonly maxBytes?: number;
  /** A report that takes longer is lost. Default: that of the link. */
  readonly answerMs?: number;
};

/** What gateways tell each other of their readers, through Redis. */
export type RedisSeen = SeenReporter & { readonly close: () => Promise<void> };

/**
 * Opens a stream of reports in Redis. Each gateway reads those of the others from a minute before its start, and again after a loss, so that
 * none is missed while Redis keeps them. It tells nothing before it has read them: by then it knows what the stream holds, and what
 * there is to trim.
 */
export function openRedisSeen(options: RedisSeenOptions): RedisSeen {
  const { url, prefix, onReport, onUp, onLost, maxBytes = MAX_BYTES, answerMs } = options;
  const key = `${prefix}seen`;
  const gateway = randomUUID();
  const window = new StreamWindow({ maxAgeMs: REMEMBERED_MS, maxBytes });
  let isReading = false;
  /** From the monotonic clock to that of Redis. */
  let clockMs = 0;
  const redisNowMs = (): number => clockMs + performance.now();
  const writing = openRedisLink({ url, onUp, onLost, answerMs });
  const reading = openRedisLink({ url, onUp: ignore, onLost: ignore, answerMs: READ_ANSWER_MS });
  const closing = new AbortController();

  const take = ({ id, message }: Entry): void => {
    const atMs = Number.parseInt(id, 10);
    window.note(atMs, bytesOf(message));
    if (message.gateway === gateway) return;
    const report = readReport(message);
    if (report !== undefined) onReport(report, redisNowMs() - atMs);
  };
  const readOn = async ({ ask }: RedisLink): Promise<void> => {
    clockMs = (await ask(timeOf)) - performance.now();
    window.clear();
    let after = `${Math.max(0, Math.floor(redisNowMs() - REMEMBERED_MS))}-0`;
    while (!closing.signal.aborted) {
      const since = { key, id: after };
      const wait = isReading ? { BLOCK: WAIT_MS } : {};
      const entries = entriesOf(
        await ask((client) => client.xRead([since], { ...wait, COUNT: REPORTS_AT_ONCE })),
      );
      for (const entry of entries) take(entry);
      after = entries.at(-1)?.id ?? after;
      if (entries.length < REPORTS_AT_ONCE) isReading = true;
    }
  };
  const follow = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await readOn(reading);
      } catch {
        isReading = false;
        await pause(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(ignore);
      }
    }
  };
  const following = follow();
  return {
    isUp: () => writing.isUp() && isReading,
    send: async ({ network, seen }) => {
      const message = { gateway, network, readers: writeSeenRecords(seen) };
      const threshold = window.count(redisNowMs()) + ON_THEIR_WAY;
      const trim = { strategy: 'MAXLEN', strategyModifier: '~', threshold } as const;
      await writing.ask((client) =>
        Promise.all([client.xAdd(key, '*', message, { TRIM: trim }), client.pExpire(key, 2 * REMEMBERED_MS)]),
      );
    },
    close: async () => {
      closing.abort();
      await Promise.all([writing.close(), reading.close()]);
      await following;
    },
  };
}

async function timeOf(client: RedisClient): Promise<number> {
  const [seconds, micros] = (await client.sendCommand(['TIME'])) as unknown as readonly [string, string];
  return Number(seconds) * 1_000 + Number(micros) / 1_000;
}

type Entry = { readonly id: string; readonly message: Readonly<Record<string, string>> };

function entriesOf(found: unknown): readonly Entry[] {
  const [stream] = (found ?? []) as readonly { readonly messages: readonly Entry[] }[];
  return stream?.messages ?? [];
}

function bytesOf(message: Entry['message']): number {
  return Object.values(message).reduce((bytes, text) => bytes + text.length, 0);
}

/** What another version of Keyslot writes beside is not understood, and left out: its fields have other names. */
function readReport({ network, readers }: Entry['message']): SeenReport | undefined {
  const seen = readers === undefined ? undefined : readSeenRecords(readers);
  return network === undefined || seen === undefined ? undefined : { network, seen };
}

const ignore = (): void => undefined;
