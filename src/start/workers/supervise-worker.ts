import cluster, { type Worker } from 'node:cluster';
import { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Config } from '../../../generated/config.ts';
import { ProcessCalls } from '../../base/process-calls.ts';
import { ServiceError, serviceError } from '../../base/service-error.ts';
import { SupervisedChild } from '../../base/supervised-child.ts';
import type { ServedApp } from '../served-app.ts';
import { watchForHang } from './watch-for-hang.ts';
import { ANSWER_MS, type Joined, SIGNER_FD } from './worker-messages.ts';

/** What a worker can ask of its supervisor. */
export type WorkerRequests = {
  readonly readAllMetrics: () => Promise<string>;
  /** Called by the worker that is not to be asked. */
  readonly settleOthers: (number: number) => Promise<void>;
};

export type WorkerOptions = WorkerRequests & {
  readonly number: number;
  /** The configuration of all workers, however the file changes while they run. */
  readonly config: Config;
  readonly addToSigner: (socket: Duplex) => void;
  /** Called when the worker serves, and when it has died. */
  readonly onChange: () => void;
  readonly stopDeadlineMs: number;
  readonly log: Logger;
};

/** One gateway process that is started again whenever it dies. */
export class SupervisedWorker {
  readonly number: number;
  readonly name: string;
  readonly child: SupervisedChild<ServedApp>;
  /** What the worker served at first. Rejects if it did not come to that. */
  readonly started: Promise<ServedApp>;
  #process: { readonly worker: Worker; readonly calls: ProcessCalls } | undefined;

  constructor(options: WorkerOptions) {
    const { number, config, onChange, stopDeadlineMs, log } = options;
    this.number = number;
    this.name = `worker-${number}`;
    const started = Promise.withResolvers<ServedApp>();
    this.started = started.promise;
    this.started.catch(() => undefined);
    let reason: Error | undefined;
    this.child = new SupervisedChild<ServedApp>(
      {
        name: this.name,
        launch: (announce) => {
          const worker = cluster.fork();
          // It repeats an error of its process, which the child logs.
          worker.on('error', () => undefined);
          // Undefined where no process could be made, for want of file descriptors.
          const socket = worker.process.stdio?.[SIGNER_FD];
          if (socket instanceof Duplex) options.addToSigner(socket);
          const calls = new ProcessCalls(worker.process, {
            join: (): Joined => ({ number, config, isRestart: this.child.restarts > 0 }),
            serving: (served) => announce(served as ServedApp),
            failed: (error) => {
              reason = readFailure(error);
              log.error({ worker: number, reason: reason.message }, 'a worker cannot start');
            },
            readAllMetrics: options.readAllMetrics,
            settleOthers: () => options.settleOthers(number),
          });
          this.#process = { worker, calls };
          return worker.process;
        },
        leave: () => void this.call('stop').catch(() => undefined),
        onReady: (served) => {
          this.#killWhenHanging(log);
          started.resolve(served);
          onChange();
        },
        onDown: () => {
          const { exitCode, signalCode } = this.#process?.worker.process ?? {};
          const end = signalCode ?? `exit code ${exitCode}`;
          const died = { reason: `worker ${number} ended with ${end} before it served` };
          started.reject(reason ?? serviceError('workersNotStarted', died));
          onChange();
        },
        stopDeadlineMs,
      },
      log,
    );
  }

  /** Calls the process that runs now. @throws ServiceError like `ProcessCalls.call`. */
  async call(name: string, argument: unknown = null, timeoutMs = ANSWER_MS): Promise<unknown> {
    return this.#process?.calls.call(name, argument, timeoutMs);
  }

  #killWhenHanging(log: Logger): void {
    const stop = watchForHang(
      (timeoutMs) => this.call('ping', null, timeoutMs),
      (missed) => {
        log.error({ worker: this.number, missed }, 'a worker does not respond; killing it');
        this.child.kill();
      },
    );
    this.#process?.worker.process.once('exit', stop);
  }

  signal(signal: NodeJS.Signals): void {
    this.#process?.worker.process.kill(signal);
  }
}

function readFailure(error: unknown): ServiceError {
  const { code, context } = error as Pick<ServiceError, 'code' | 'context'>;
  return new ServiceError(code, context);
}
