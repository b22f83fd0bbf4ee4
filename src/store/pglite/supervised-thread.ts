import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { Duplex } from 'node:stream';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { toError } from './thrown-error.ts';
import { programUrl } from '../../core/program.ts';
import { DEADLINES } from '../deadlines.ts';
import type { FromWorker, ToWorker } from './worker.ts';
import { DamagedStore } from './damaged-store.ts';

/** The store's thread, which is replaced when it ends. */
export type SupervisedThread = Wire & Pick<StoreThread, 'close'>;

export type SupervisedThreadOptions = {
  readonly directory: string;
  readonly log: Logger;
  /** Pause before another thread is started. Default 1,000 ms. */
  readonly pauseMs?: number;
};

const PAUSE_MS = 1_000;

/**
 * Starts PGlite, and restarts it whenever it ends by itself, as a PostgreSQL server does after a crash: committed rows are recovered from
 * its log. Meanwhile connections fail at once. With a full disk it starts once there is space.
 *
 * @throws Error the reason why the first start failed.
 */
export async function startSupervisedThread(options: SupervisedThreadOptions): Promise<SupervisedThread> {
  const { directory, log, pauseMs = PAUSE_MS } = options;
  const closing = new AbortController();
  let current: StoreThread | undefined;
  let running = Promise.resolve();
  let reason = '';
  const keep = (thread: StoreThread): void => {
    current = thread;
    running = thread.ended.then(async (error) => {
      current = undefined;
      if (closing.signal.aborted) return;
      log.error({ err: error, store: directory }, 'the embedded store stopped unexpectedly; restarting it');
      reason = toError(error).message;
      const next = await startAgain(options, pauseMs, closing.signal);
      if (next !== undefined) keep(next);
    });
  };
  keep(await startStoreThread(directory));
  return {
    connect: (receive, lose) => {
      if (current !== undefined) return current.connect(receive, lose);
      queueMicrotask(() => lose(new Error(`the embedded store is restarting: ${reason}`)));
      return () => undefined;
    },
    close: async () => {
      closing.abort();
      await current?.close();
      await running;
    },
  };
}

/** Retries until a thread runs. Undefined: it is being closed. */
async function startAgain(
  { directory, log }: SupervisedThreadOptions,
  pauseMs: number,
  closing: AbortSignal,
): Promise<StoreThread | undefined> {
  let lastReason = '';
  while (await hasPaused(pauseMs, closing)) {
    try {
      assertWhole(directory);
      const thread = await startStoreThread(directory);
      log.warn({ store: directory }, 'the embedded store has recovered');
      return thread;
    } catch (error) {
      const reason = toError(error).message;
      if (reason !== lastReason)
        log.error({ reason, store: directory }, 'the embedded store failed to start');
      lastReason = reason;
    }
  }
  return undefined;
}

/** False: it is being closed. */
function hasPaused(pauseMs: number, closing: AbortSignal): Promise<boolean> {
  if (closing.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      closing.removeEventListener('abort', settle);
      resolve(!closing.aborted);
    };
    const timer = setTimeout(settle, pauseMs);
    closing.addEventListener('abort', settle);
  });
}

/** A running PGlite in a thread of its own. */
export type StoreThread = Wire & {
  /** Resolves when the thread, or PostgreSQL in it, has ended, with the reason if it was not asked to. */
  readonly ended: Promise<Error | undefined>;
  /** Shuts PostgreSQL down, then the thread. A thread that does not end in time is terminated. */
  close(): Promise<void>;
};

/** Starts PGlite on a directory; an empty one is filled with a new database. @throws Error with the reason. */
export async function startStoreThread(directory: string): Promise<StoreThread> {
  const worker = new Worker(programUrl(new URL('./worker.ts', import.meta.url)), {
    workerData: { directory },
  });
  const ended = awaitEnd(worker);
  const thread = createThread(worker, ended);
  const ready = once(worker, 'message', { signal: AbortSignal.timeout(DEADLINES.startMs) });
  const outcome = await Promise.race([ready, ended]).catch((error: unknown) => toError(error));
  if (outcome instanceof Error || outcome === undefined) {
    await worker.terminate();
    throw outcome ?? new Error('the store thread ended during its start');
  }
  return thread;
}

function createThread(worker: Worker, ended: Promise<Error | undefined>): StoreThread {
  let session = 0;
  let receive: ((bytes: Uint8Array) => void) | undefined;
  let lose: ((error: Error) => void) | undefined;
  let loss: Error | undefined;
  void ended.then((error) => {
    loss = error ?? new Error('the store is closed');
    lose?.(loss);
  });
  const post = (message: ToWorker, transfer: ArrayBuffer[] = []) => worker.postMessage(message, transfer);
  worker.on('message', (message: FromWorker) => {
    if (message.kind === 'bytes' && message.session === session) receive?.(message.bytes);
  });
  return {
    ended,
    connect(onBytes, onLoss) {
      session += 1;
      receive = onBytes;
      const own = session;
      post({ kind: 'connect', session: own });
      lose = onLoss;
      if (loss !== undefined) queueMicrotask(() => onLoss(loss as Error));
      return (bytes) => {
        const copy = new Uint8Array(bytes);
        post({ kind: 'bytes', session: own, bytes: copy }, [copy.buffer]);
      };
    },
    async close() {
      post({ kind: 'close' });
      const timer = setTimeout(() => void worker.terminate(), DEADLINES.closeMs);
      await ended.finally(() => clearTimeout(timer));
    },
  };
}

/** An `error` or a PANIC comes before `exit`, and a thread that ends by itself was asked to if its exit code is 0. */
function awaitEnd(worker: Worker): Promise<Error | undefined> {
  return new Promise((resolve) => {
    worker.once('error', (error) => resolve(toError(error)));
    worker.on('message', (message: FromWorker) => {
      if (message.kind !== 'panic') return;
      resolve(new Error(`PostgreSQL panicked: ${message.reason}`));
      void worker.terminate();
    });
    worker.once('exit', (code) =>
      resolve(code === 0 ? undefined : new Error(`the store thread ended with code ${code}`)),
    );
  });
}

/** Carries the bytes of streams. */
export type Wire = {
  /** Opens a connection; its bytes go to `receive`, its loss to `lose`. Returns the function that sends. */
  connect(receive: (bytes: Uint8Array) => void, lose: (error: Error) => void): (bytes: Uint8Array) => void;
};

/**
 * The socket of `pg`: a Duplex with the few methods of net.Socket that the driver calls. It has no backpressure: the driver asks and waits,
 * so its requests bound the answers.
 */
export class WireStream extends Duplex {
  readonly #wire: Wire;
  #send: ((bytes: Uint8Array) => void) | undefined;

  constructor(wire: Wire) {
    super();
    this.#wire = wire;
  }

  connect(): this {
    this.#send = this.#wire.connect(
      (bytes) => void (this.destroyed || this.push(bytes)),
      (error) => void this.destroy(error),
    );
    process.nextTick(() => this.emit('connect'));
    return this;
  }

  setNoDelay = (): this => this;
  setKeepAlive = (): this => this;
  ref = (): this => this;
  unref = (): this => this;

  override _read(): void {
    // Bytes are pushed when they arrive.
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error) => void): void {
    this.#transmit(chunk, done);
  }

  override _writev(chunks: { chunk: Buffer }[], done: (error?: Error) => void): void {
    this.#transmit(Buffer.concat(chunks.map(({ chunk }) => chunk)), done);
  }

  override _final(done: (error?: Error) => void): void {
    this.push(null);
    done();
  }

  #transmit(bytes: Uint8Array, done: (error?: Error) => void): void {
    this.#send?.(bytes);
    done(this.#send === undefined ? new Error('not connected') : undefined);
  }
}

// PGlite fills a directory without PG_VERSION with a new database, whatever else is in it, and reports other damage as "PGlite failed to
// initialize properly" or "Aborted()".

/** Files that every database has, and that are never empty. */
const FILES = ['PG_VERSION', 'global/pg_control', 'global/pg_filenode.map', 'postgresql.conf'];
/** Directories that every database has, and that are never empty. */
const DIRECTORIES = ['base', 'global', 'pg_wal', 'pg_xact', 'pg_multixact/offsets'];
/** The directory of a database; a second one, for temporary files, exists once a statement needed it. */
const DATABASE = /^\d+$/;
/** The name of a WAL segment; its first bytes give the format. */
const SEGMENT = /^[0-9A-F]{24}$/;

/**
 * Asserts that a directory with a database has the files that PostgreSQL cannot start without. An empty directory has no database and passes.
 *
 * @throws DamagedStore naming the file that is missing, empty or zeroed.
 */
export function assertWhole(directory: string): void {
  if (readdirSync(directory).length === 0) return;
  const databases = namesIn(directory, 'base').filter((name) => DATABASE.test(name));
  const maps = databases.map((database) => `base/${database}`);
  const faults = [
    ...DIRECTORIES.flatMap((path) => (namesIn(directory, path).length === 0 ? [`${path} has no files`] : [])),
    ...[...FILES, ...maps.flatMap((path) => [`${path}/PG_VERSION`, `${path}/pg_filenode.map`])].flatMap(
      (path) => faultOf(directory, path),
    ),
    // The first transactions of a database created it: they are committed.
    ...namesIn(directory, 'pg_xact').flatMap((name) =>
      name === '0000' ? faultOf(directory, `pg_xact/${name}`) : [],
    ),
    ...faultOfLog(directory),
  ];
  if (faults.length > 0) throw new DamagedStore(directory, faults.join(', '));
}

function faultOfLog(directory: string): readonly string[] {
  const segments = namesIn(directory, 'pg_wal').filter((name) => SEGMENT.test(name));
  const isRead = segments.some((name) => faultOf(directory, `pg_wal/${name}`).length === 0);
  return isRead ? [] : ['pg_wal has no readable segment'];
}

function faultOf(directory: string, path: string): readonly string[] {
  try {
    const bytes = readFileSync(join(directory, path));
    if (bytes.length === 0) return [`${path} is empty`];
    return bytes.every((byte) => byte === 0) ? [`${path} has only zeros`] : [];
  } catch (error) {
    if (!isMissing(error)) throw error;
    return [`${path} is missing`];
  }
}

function namesIn(directory: string, path: string): readonly string[] {
  try {
    return readdirSync(join(directory, path));
  } catch (error) {
    if (!isMissing(error)) throw error;
    return [];
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}
