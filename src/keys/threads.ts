import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { Piscina } from 'piscina';
import { serviceError } from '../base/service-error.ts';
import type { KeyTask, TaskResult, WorkerSettings } from './key-task.ts';

/** Threads that run tasks in the order of the calls, one each at a time. */
export type Threads = {
  /** @throws ServiceError `internalError` if the task failed or its thread died; another thread takes its place. */
  readonly run: (task: KeyTask) => Promise<TaskResult>;
  /** Terminates the threads at once. */
  readonly end: () => Promise<void>;
};

export type ThreadOptions = {
  readonly threads: number;
  readonly log: Pick<Logger, 'error'>;
  readonly settings: WorkerSettings;
  readonly worker: URL;
};

/** Starts threads and waits until each has loaded and tested its engine. @throws the failure of an engine. */
export async function startThreads({ threads, log, settings, worker }: ThreadOptions): Promise<Threads> {
  const piscina: Piscina<KeyTask, TaskResult> = new Piscina({
    filename: fileURLToPath(worker),
    minThreads: threads,
    maxThreads: threads,
    workerData: settings,
  });
  piscina.on('error', (error) => log.error({ reason: String(error) }, 'a key thread ended'));
  try {
    await Promise.all(Array.from({ length: threads }, () => piscina.run({ kind: 'check' })));
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
