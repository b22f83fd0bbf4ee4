import { randomUUID, createHmac, type KeyObject } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { openRedisLink, type RedisClient, type RedisLink } from '../../../core/redis/redis-link.ts';
import {
  ACCOUNT_CHARACTERS,
  REMEMBERED_MS,
  type SentMarks,
  type SentSeen,
  type SeenSlots,
  type Reader,
  type Sharing,
} from './readers.ts';
import { StreamWindow } from './stream-window.ts';
import { COMMITMENTS } from '../../../core/rpc/commitment.ts';
import type { ReadYourWrites } from './read-your-writes.ts';

/** Bytes of a reader's name at all gateways. The first ones are the account's. */
const NAME_BYTES = 16;
/** Base64url has four characters for three bytes. */
const ACCOUNT_BYTES = (ACCOUNT_CHARACTERS / 4) * 3;

/**
 * Returns a function that names readers: by parts of HMAC-SHA256 of the account and of the reader under a key that the gateways of an
 * installation share. Names of sessions are often short and few, and nobody can try them without the key.
 *
 * @returns names of 22 characters (base64url).
 */
export function nameReaders(key: KeyObject): (reader: Reader) => string {
  const digest = (...parts: readonly (string | null)[]): Buffer =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  return ({ accountId, keyId, session = null }) => {
    const account = digest(accountId).subarray(0, ACCOUNT_BYTES);
    const reader = digest(keyId, session).subarray(0, NAME_BYTES - ACCOUNT_BYTES);
    return Buffer.concat([account, reader]).toString('base64url');
  };
}

/** Bytes of the last minute that are kept for gateways that start: the newest reports of up to these bytes. */
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
  /** Called with the report of another gateway and its age in milliseconds. */
  readonly onReport: (report: SeenReport, ageMs: number) => void;
  readonly onUp: () => void;
  readonly onLost: (reason: string) => void;
  /** About how many bytes the stream may hold. Default 16 MiB. */
  readonly maxBytes?: number;
  /** A report that takes longer is lost. Default: that of the link. */
  readonly answerMs?: number;
};

/** The states of readers that gateways share through Redis. */
export type RedisSeen = SeenReporter & { readonly close: () => Promise<void> };

/**
 * Opens a stream of reports in Redis. Each gateway reads those of the others from a minute before its start, and again after a loss, so that
 * none is missed while Redis keeps them. It reports nothing before it has read them: by then it knows what the stream holds, and what
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

/** Entries of another version of Keyslot have other field names, and are left out. */
function readReport({ network, readers }: Entry['message']): SeenReport | undefined {
  const seen = readers === undefined ? undefined : readSeenRecords(readers);
  return network === undefined || seen === undefined ? undefined : { network, seen };
}

const ignore = (): void => undefined;

const VALUE_BYTES = 6;
const AGE_BYTES = 2;
const MARKS = COMMITMENTS.length;
const MARKS_BYTES = MARKS * (VALUE_BYTES + AGE_BYTES);
const RECORD_BYTES = NAME_BYTES + 2 * MARKS_BYTES;
/** No chain comes this far. A node that says so is not repeated. */
const MAX_VALUE = 2 ** (8 * VALUE_BYTES) - 1;
const MAX_AGE_MS = 2 ** (8 * AGE_BYTES) - 1;

/** Writes what readers have seen, 64 bytes for each: the name, then value (6 bytes) and age in milliseconds (2) of each mark; base64. */
export function writeSeenRecords(seen: readonly SentSeen[]): string {
  const bytes = Buffer.alloc(seen.length * RECORD_BYTES);
  for (const [index, [name, slots, heights]] of seen.entries()) {
    const at = index * RECORD_BYTES;
    bytes.write(name, at, NAME_BYTES, 'base64url');
    writeMarks(bytes, at + NAME_BYTES, slots);
    writeMarks(bytes, at + NAME_BYTES + MARKS_BYTES, heights);
  }
  return bytes.toString('base64');
}

/** @returns undefined for what `writeSeenRecords` does not write. */
export function readSeenRecords(text: string): readonly SentSeen[] | undefined {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % RECORD_BYTES !== 0) return undefined;
  return Array.from({ length: bytes.length / RECORD_BYTES }, (_, index) => {
    const at = index * RECORD_BYTES;
    const name = bytes.toString('base64url', at, at + NAME_BYTES);
    const marksAt = at + NAME_BYTES;
    return [name, readMarks(bytes, marksAt), readMarks(bytes, marksAt + MARKS_BYTES)];
  });
}

function writeMarks(bytes: Buffer, from: number, marks: SentMarks): void {
  let at = from;
  for (let index = 0; index < MARKS; index++) {
    const [value = 0, ageMs = 0] = marks.slice(2 * index, 2 * index + 2);
    at = bytes.writeUIntBE(value > MAX_VALUE ? 0 : value, at, VALUE_BYTES);
    at = bytes.writeUIntBE(Math.min(ageMs, MAX_AGE_MS), at, AGE_BYTES);
  }
}

function readMarks(bytes: Buffer, from: number): SentMarks {
  return COMMITMENTS.flatMap((_, index) => {
    const at = from + index * (VALUE_BYTES + AGE_BYTES);
    return [bytes.readUIntBE(at, VALUE_BYTES), bytes.readUIntBE(at + VALUE_BYTES, AGE_BYTES)];
  });
}

/** The other gateways get the state that a reader was shown at most this long after it, while Redis is connected. */
const REPORT_MS = 50;
/** Readers of one report. The others come with the next one. */
const MAX_READERS = 500;
/** Readers that wait while no report can be sent; the earliest are left out. */
const MAX_WAITING = 20_000;

/** The states that readers of one network were shown. */
export type SeenReport = { readonly network: string; readonly seen: readonly SentSeen[] };

type SeenReporter = {
  readonly isUp: () => boolean;
  /** Tells the other gateways. @throws Error if it is not known to have arrived. */
  readonly send: (report: SeenReport) => Promise<void>;
};

type SeenReportsOptions = Pick<Sharing, 'nameOf'> & {
  /** Monotonic milliseconds. */
  readonly nowMs: () => number;
};

type SeenReports = {
  /** Sends the waiting reports. */
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/**
 * Tells other gateways what readers are shown, off the path of their requests: once every 50 ms, only what became higher, and each reader
 * once.
 */
export function startSeenReports(
  networks: ReadonlyMap<string, Pick<ReadYourWrites, 'share'>>,
  { isUp, send }: SeenReporter,
  { nameOf, nowMs }: SeenReportsOptions,
): SeenReports {
  const waiting = new Map([...networks.keys()].map((network) => [network, new Set<SeenSlots>()]));
  let timer: NodeJS.Timeout | undefined;
  const later = (): void => {
    timer ??= setTimeout(() => void flush(), REPORT_MS).unref();
  };
  const flush = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    await Promise.all([...waiting].map(([network, readers]) => report(network, readers)));
    for (const readers of waiting.values()) if (readers.size > 0) later();
  };
  const report = async (network: string, readers: Set<SeenSlots>): Promise<void> => {
    if (!isUp() || readers.size === 0) return;
    const due = [...readers].slice(0, MAX_READERS);
    for (const each of due) readers.delete(each);
    try {
      await send({ network, seen: due.map((each) => each.send(nowMs())) });
    } catch {
      // The loss is counted and logged where the connection is; it is sent again.
      for (const each of due) readers.add(each);
    }
  };
  for (const [network, readYourWrites] of networks) {
    const readers = waiting.get(network);
    const onSeen = (seen: SeenSlots): void => {
      if (readers === undefined) return;
      readers.add(seen);
      if (readers.size > MAX_WAITING)
        for (const earliest of readers.keys()) {
          readers.delete(earliest);
          break;
        }
      later();
    };
    readYourWrites.share({ nameOf, onSeen });
  }
  return {
    flush,
    close: async () => {
      await flush();
      clearTimeout(timer);
    },
  };
}
