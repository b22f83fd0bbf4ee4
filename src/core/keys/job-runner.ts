import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import { serviceError } from '../service-error.ts';
import type { KeyEngine } from './engine.ts';
import type { KeyTask, SharedBytes, TaskResult, WorkerSettings } from './key-task.ts';

/**
 * Bytes ready to be sent, with secrets in them, in memory of their own: the reader drops them once they are sent. `count` is the number of
 * wallets in them, without an HD master and the text around the records.
 */
export type KeyChunk = { readonly bytes: Buffer<ArrayBuffer>; readonly count: number };

/** The work of one request: its stop flag, the signal that cancels it, and the secrets that are wiped after it. */
export type Job = {
  readonly stop: Int32Array<SharedArrayBuffer>;
  readonly signal: AbortSignal;
  readonly secrets: readonly SharedBytes[];
};

export type KeyChunks = AsyncGenerator<KeyChunk, void, undefined>;

/** Runs the tasks of jobs, and cleans up after each job, however it ends. */
export type JobRunner = {
  /** Begins a task. @throws ServiceError `internalError`, or the signal's reason if the job was cancelled. */
  readonly run: (job: Job, task: KeyTask) => Promise<KeyChunk>;
  /** Returns the job's stream; when it ends or is left, its threads stop within a wallet and its secrets are wiped. */
  readonly during: (job: Job, body: KeyChunks) => KeyChunks;
  /** Overwrites a chunk that is no longer needed, and frees its memory. */
  readonly drop: (chunk: KeyChunk) => void;
  /** Stops every job, then the threads; nothing runs afterwards. */
  readonly close: () => Promise<void>;
};

/** Creates a job whose threads are stopped by its signal, once `during` has begun. */
export function newJob(signal: AbortSignal, secrets: readonly SharedBytes[]): Job {
  return { stop: new Int32Array(new SharedArrayBuffer(4)), signal, secrets };
}

/** Returns the error for work that is requested from a closed pool, or interrupted by its closing. */
export function closedError(): Error {
  return serviceError('internalError', {}, new Error('the key pool is closed'));
}

/** Creates a runner of jobs on threads, which it owns from now on. */
export function createJobRunner(engine: KeyEngine, threads: Threads): JobRunner {
  const jobs = new Set<Job>();
  const running = new Set<Promise<TaskResult>>();
  let isClosed = false;
  // Left to the garbage collector, chunks count against the heap until it stops the process for 10 ms, every 300 chunks.
  const drop = ({ bytes }: KeyChunk): void => {
    engine.wipe(bytes);
    bytes.buffer.transfer(0);
  };

  async function run({ stop, signal }: Job, task: KeyTask): Promise<KeyChunk> {
    if (isClosed) throw closedError();
    signal.throwIfAborted();
    const work = threads.run(task);
    running.add(work);
    const result = await work.finally(() => running.delete(work));
    const chunk = { bytes: Buffer.from(result.bytes.buffer, 0, result.bytes.length), count: result.count };
    if (!result.isStopped && Atomics.load(stop, 0) === 0) return chunk;
    drop(chunk);
    signal.throwIfAborted();
    throw closedError();
  }

  async function* during(job: Job, body: KeyChunks): KeyChunks {
    const leave = (): void => stopJob(job);
    job.signal.addEventListener('abort', leave, { once: true });
    jobs.add(job);
    try {
      yield* body;
    } finally {
      job.signal.removeEventListener('abort', leave);
      jobs.delete(job);
      stopJob(job);
      engine.wipe(...job.secrets);
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    for (const job of jobs) stopJob(job);
    await Promise.allSettled(running);
    await threads.end();
  }

  return { run, during, drop, close };
}

function stopJob({ stop }: Job): void {
  Atomics.store(stop, 0, 1);
}

/** Threads that run tasks in the order of the calls, one each at a time. */
export type Threads = {
  /** @throws ServiceError `internalError` if the task failed or its thread died; another thread takes its place. */
  readonly run: (task: KeyTask) => Promise<TaskResult>;
  /** Terminates the threads at once. */
  readonly end: () => Promise<void>;
};

type ThreadOptions = {
  readonly threads: number;
  readonly log: Pick<Logger, 'error'>;
  readonly settings: WorkerSettings;
  readonly worker: URL;
};

/** A thread that has had nothing to do for this long ends, except for the last one: each takes 17 MB. */
const IDLE_MS = 60_000;

/** The heap of tasks is small: bytes lie outside it. A larger one would only keep what comparing the engine has left behind. */
const YOUNG_HEAP_MB = 4;

/**
 * Starts one thread and waits until it has loaded and tested its engine. The others start when there is work for them, and test theirs
 * before it.
 *
 * @throws the failure of the engine.
 */
export async function startThreads({ threads, log, settings, worker }: ThreadOptions): Promise<Threads> {
  const piscina: Piscina<KeyTask, TaskResult> = new Piscina({
    filename: fileURLToPath(worker),
    minThreads: 1,
    maxThreads: threads,
    idleTimeout: IDLE_MS,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    workerData: settings,
  });
  piscina.on('error', (error) => log.error({ reason: String(error) }, 'a key thread ended'));
  try {
    await piscina.run({ kind: 'check', comparesReference: settings.engine === 'native' });
  } catch (error) {
    await piscina.destroy();
    throw error;
  }
  return {
    async run(task) {
      try {
        return await piscina.run(task);
      } catch (error) {
        throw serviceError('internalError', {}, error);
      }
    },
    end: () => piscina.destroy(),
  };
}
