import cluster, { type Worker } from 'node:cluster';
import { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import type { Config } from '../../../generated/config.ts';
import { ProcessCalls } from '../../base/process-calls.ts';
import { ServiceError, serviceError } from '../../base/service-error.ts';
import { SupervisedChild } from '../../base/supervised-child.ts';
import type { ServedApp } from '../served-app.ts';
import { JOIN_MS, type Silence, watchWorker } from './watch-worker.ts';
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
  /** Longest time until a process joins. Default 60,000. */
  readonly joinMs?: number;
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
    const { number, config, onChange, stopDeadlineMs, joinMs = JOIN_MS, log } = options;
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
            join: (): Joined => {
              noteJoined();
              return { number, config, isRestart: this.child.restarts > 0 };
            },
            serving: (served) => announce(served as ServedApp),
            failed: (error) => {
              reason = readFailure(error);
              log.error({ worker: number, reason: reason.message }, 'a worker cannot start');
            },
            readAllMetrics: options.readAllMetrics,
            settleOthers: () => options.settleOthers(number),
          });
          const noteJoined = watchWorker({
            ...{ process: worker.process, joinMs },
            ping: (timeoutMs) => calls.call('ping', null, timeoutMs),
            onSilence: (silence) => {
              // Where no process could be made, there is none to kill.
              if (worker.process.pid === undefined) return;
              reason ??= serviceError('workersNotStarted', { reason: `worker ${number} ${toText(silence)}` });
              log.error({ worker: number, ...silence }, 'a worker does not respond; killing it');
              worker.process.kill('SIGKILL');
            },
          });
          this.#process = { worker, calls };
          return worker.process;
        },
        leave: () => void this.call('stop').catch(() => undefined),
        onReady: (served) => {
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

  signal(signal: NodeJS.Signals): void {
    this.#process?.worker.process.kill(signal);
  }
}

function toText(silence: Silence): string {
  if (silence.kind === 'missed') return `answered none of ${silence.missed} calls in a row`;
  return `did not join its supervisor within ${silence.waitedMs} ms`;
}

function readFailure(error: unknown): ServiceError {
  const { code, context } = error as Pick<ServiceError, 'code' | 'context'>;
  return new ServiceError(code, context);
}
