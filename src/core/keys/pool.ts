import type { Logger } from 'pino';
import { programUrl } from '../program.ts';
import { serviceError } from '../service-error.ts';
import { loadKeyEngine } from './load-engine.ts';
import type { KeyEngine } from './engine.ts';
import { type HdJob, isIndexRange, shareSource, type NewWallets, openNewWallets } from './new-wallets.ts';
import {
  closedError,
  createJobRunner,
  type JobRunner,
  type KeyChunk,
  type KeyChunks,
  newJob,
  startThreads,
} from './job-runner.ts';
import { assertKnownAnswers } from './known-answers.ts';
import { JSON_DOCUMENT } from './make-master.ts';
import { inOrder } from './ordered-chunks.ts';
import { NODE_BYTES } from './slip10.ts';
import { CSV_HEADER } from './wallet-record.ts';

export { CSV_HEADER };
export type { HdJob, KeyChunk, KeyChunks, NewWallets };

export type BatchJob = NewWallets & { readonly count: number; readonly format: 'jsonl' | 'csv' };

/** One record as JSON without a line end, to be wiped once it is sent, and the address in it. */
export type SingleWallet = { readonly record: Buffer; readonly address: string };

/**
 * Creates keys in its own threads. A stream works as fast as it is read and holds two chunks per thread at most (some 70 kB each). It
 * throws `internalError` if randomness, an engine or a thread fails or the pool is closed, and the signal's reason if that is aborted;
 * unread results are wiped. A stream that was never read does nothing. After a failure the pool continues with the next job.
 */
export type KeyPool = {
  readonly engine: KeyEngine;
  readonly batch: (job: BatchJob, signal: AbortSignal) => KeyChunks;
  readonly hd: (job: HdJob, signal: AbortSignal) => KeyChunks;
  readonly single: (job: NewWallets, signal: AbortSignal) => Promise<SingleWallet>;
  /** Overwrites a chunk that was sent or is no longer wanted, and frees its memory: call it once; the chunk is empty afterwards. */
  readonly drop: (chunk: KeyChunk) => void;
  /** Stops every job, then the threads. */
  readonly close: () => Promise<void>;
};

export type KeyPoolOptions = {
  readonly threads: number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  /** Loads the engine. Default `loadKeyEngine`. */
  readonly loadEngine?: (log: Pick<Logger, 'warn'>) => Promise<KeyEngine>;
  /** The script of the threads. Default `worker.ts`. */
  readonly worker?: URL;
};

/**
 * Number of wallets per task: some milliseconds of work, so that other jobs get their turn. A small number of mnemonics is divided among
 * the threads.
 */
const CHUNK = { plain: 256, mnemonic: 16, children: 256 };
const ADDRESS_AT = '{"address":"'.length;
const QUOTE = 0x22;

type Bench = { readonly runner: JobRunner; readonly window: number };

/** Starts a pool. @throws Error if a known-answer test fails: no keys may be created then. Threads that start later run it as well. */
export async function createKeyPool(options: KeyPoolOptions): Promise<KeyPool> {
  const { threads: size, log, loadEngine = loadKeyEngine } = options;
  const engine = await loadEngine(log);
  assertKnownAnswers(engine);
  const worker = options.worker ?? programUrl(new URL('./worker.ts', import.meta.url));
  const threads = await startThreads({ threads: size, log, settings: { engine: engine.kind }, worker });
  const runner = createJobRunner(engine, threads);
  const bench = { runner, window: 2 * size };
  return {
    engine,
    batch: (job, signal) => batch(bench, job, signal),
    hd: (job, signal) => hd(bench, job, signal),
    single: (job, signal) => single(bench, job, signal),
    drop: runner.drop,
    close: runner.close,
  };
}

function batch({ runner, window }: Bench, wanted: BatchJob, signal: AbortSignal): KeyChunks {
  const { format, count, mnemonicWords } = wanted;
  if (!Number.isInteger(count) || count < 1) throw misused('a batch needs at least one wallet');
  const { job, task } = openNewWallets(wanted, signal);
  const size =
    mnemonicWords === undefined ? CHUNK.plain : Math.min(CHUNK.mnemonic, Math.ceil(count / window));
  const steps = ranges(count, size).map((range) => () => {
    return runner.run(job, { ...task, format, isFirst: range.from === 0, count: range.count });
  });
  return runner.during(job, inOrder(steps, { window, signal, drop: runner.drop }));
}

function hd({ runner, window }: Bench, wanted: HdJob, signal: AbortSignal): KeyChunks {
  const { accounts, change, format } = wanted;
  const { skip, children: end } = wanted.part ?? { skip: 0, children: accounts.count * change.count };
  if (!isIndexRange(accounts) || !isIndexRange(change)) throw misused('a range must be within 0 to 2^31 − 1');
  const { shared, secrets } = shareSource(wanted.source);
  const coin = new Uint8Array(new SharedArrayBuffer(NODE_BYTES));
  const job = newJob(signal, [...secrets, coin]);
  const task = { stop: job.stop, format, createdAt: wanted.createdAt.toISOString(), coin };
  const rules = { window, signal, drop: runner.drop };
  async function* body(): KeyChunks {
    const first = [() => runner.run(job, { ...task, kind: 'master', source: shared })];
    const master = inOrder(first.values(), rules);
    if (skip === 0) yield* master;
    else yield* headerOnly(format, master, runner.drop);
    const children = ranges(end, CHUNK.children, Math.max(skip - 1, 0)).map((range) => () => {
      return runner.run(job, { ...task, kind: 'children', accounts, change, ...range });
    });
    yield* inOrder(children, rules);
    // `Buffer.from` would use shared memory, but the memory of a chunk is freed.
    if (format === 'json')
      yield { bytes: Buffer.alloc(JSON_DOCUMENT.end.length, JSON_DOCUMENT.end), count: 0 };
  }
  return runner.during(job, body());
}

async function single({ runner }: Bench, wanted: NewWallets, signal: AbortSignal): Promise<SingleWallet> {
  const { job, task } = openNewWallets(wanted, signal);
  const only = [() => runner.run(job, { ...task, format: 'json', isFirst: true, count: 1 })];
  const chunks = runner.during(job, inOrder(only.values(), { window: 1, signal, drop: runner.drop }));
  for await (const { bytes } of chunks) {
    return { record: bytes, address: bytes.toString('latin1', ADDRESS_AT, bytes.indexOf(QUOTE, ADDRESS_AT)) };
  }
  throw closedError();
}

/** Yields the text before the records, for a master that is created but not sent. */
async function* headerOnly(format: HdJob['format'], master: KeyChunks, drop: JobRunner['drop']): KeyChunks {
  for await (const chunk of master) drop(chunk);
  // `Buffer.from` would use shared memory, but the memory of a chunk is freed.
  if (format === 'csv') yield { bytes: Buffer.alloc(CSV_HEADER.length, CSV_HEADER), count: 0 };
}

/** Yields the ranges of `size` items from `first` to below `total`, the last one shorter, on demand. */
function* ranges(
  total: number,
  size: number,
  first = 0,
): Generator<{ readonly from: number; readonly count: number }> {
  for (let from = first; from < total; from += size) yield { from, count: Math.min(size, total - from) };
}

function misused(reason: string): Error {
  return serviceError('internalError', {}, new RangeError(reason));
}
