import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { programUrl } from '../../base/program.ts';
import { DEADLINES } from '../deadlines.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { toError } from './thrown-error.ts';
import type { Wire } from './wire-stream.ts';

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
    throw outcome ?? new Error('the store thread ended while it started');
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
      resolve(new Error(`PostgreSQL gave up: ${message.reason}`));
      void worker.terminate();
    });
    worker.once('exit', (code) =>
      resolve(code === 0 ? undefined : new Error(`the store thread ended with code ${code}`)),
    );
  });
}
