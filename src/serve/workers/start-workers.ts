import cluster, { type Worker } from 'node:cluster';
import { Duplex } from 'node:stream';
import type { EventEmitter } from 'node:events';
import type { Logger } from 'pino';
import { collectDefaultMetrics } from 'prom-client';
import type { Config } from '../../../generated/config.ts';
import { mayHaveNewSigner } from '../../account/signer-records/known-signers.ts';
import { isServed, adminSocketPath } from '../../operate/admin/ask-admin.ts';
import { childOptions } from '../../core/process/harden-process.ts';
import { serviceError, ServiceError } from '../../core/service-error.ts';
import { startSharedSigner } from '../../signer/shared/start-shared-signer.ts';
import type { SignerLauncher } from '../../signer/signer.ts';
import { openStore } from '../../store/open-store.ts';
import { assertAllListenable } from '../assert-all-listenable.ts';
import type { ServedApp } from '../served-app.ts';
import { SETTLE_MS, ANSWER_MS, type Joined, SIGNER_FD } from './worker-messages.ts';
import { SupervisedChild } from '../../core/process/supervised-child.ts';
import { watchChildren } from '../../server/access/metrics.ts';
import { MetricsRegistry } from '../../core/metrics-registry.ts';
import { ProcessCalls } from '../../core/process/process-calls.ts';
import { AsyncDisposableStack } from '../../core/disposable-stack.ts';

/** The running workers. */
export type Workers = {
  /** The addresses of the first one; the others serve the same. */
  readonly served: ServedApp;
  /** Makes each of them reload the configuration. */
  readonly reload: () => void;
  /** Lets each of them finish as a server does, then stops the signer. */
  readonly close: () => Promise<void>;
};

export type WorkersOptions = {
  readonly onProgress: (step: string) => void;
  /** Starts the signer, where it is not a child of this process. */
  readonly launcher: SignerLauncher | undefined;
};

/** Time for a worker to stop its parts in order, beyond the grace and the deadline of its requests. */
const STOP_MARGIN_MS = 20_000;

/**
 * Starts the signer and as many gateway processes as the configuration says, on the same ports, and resolves when all serve. The first
 * worker is started alone: it makes what all use. A worker that dies is started again.
 *
 * @throws ServiceError like `startApp`; `workersNotStarted`.
 */
export async function startWorkers(
  config: Config,
  log: Logger,
  { onProgress, launcher }: WorkersOptions,
): Promise<Workers> {
  await assertAllListenable(config);
  await assertFree(config.data_dir);
  await using started = new AsyncDisposableStack();
  onProgress('opening the store');
  const start = { mayCreate: await mayCreateSigner(config, log) };
  onProgress('starting the signer');
  const signer = await startSharedSigner({ dataDir: config.data_dir, config, log, start, launcher });
  started.defer(signer.close);

  cluster.schedulingPolicy = cluster.SCHED_RR;
  cluster.setupPrimary({
    args: process.argv.slice(2),
    execArgv: childOptions(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
  });
  const metrics = createWorkersMetrics();
  metrics.watch('signer', signer.child);
  const serving = (): readonly SupervisedWorker[] => workers.filter(({ child }) => child.state === 'ready');
  const tellStanding = (): void => {
    const standing = { serving: serving().length, of: config.workers };
    // One that is gone needs to know nothing.
    for (const worker of serving()) void worker.call('note', standing).catch(() => undefined);
  };
  const workers: readonly SupervisedWorker[] = Array.from({ length: config.workers }, (_, index) => {
    return new SupervisedWorker({
      number: index + 1,
      config,
      log,
      onChange: tellStanding,
      readAllMetrics: () => metrics.read(serving()),
      settleOthers: (asking) => settleOthers(workers, asking),
      addToSigner: (socket) => signer.relay.add(socket),
      stopDeadlineMs: config.shutdown_grace_ms + config.shutdown_deadline_ms + STOP_MARGIN_MS,
    });
  });
  for (const { name, child } of workers) metrics.watch(name, child);
  started.defer(async () => void (await Promise.all(workers.map(({ child }) => child.stop()))));
  onProgress(`starting ${config.workers} workers`);
  const served = await startInOrder(workers);
  const running = started.move();
  return {
    served,
    reload: () => {
      for (const worker of serving()) worker.signal('SIGHUP');
    },
    close: () => running.disposeAsync(),
  };
}

/** Another server may use the directory: its answer comes before anything is started. */
async function assertFree(dataDir: string): Promise<void> {
  const path = adminSocketPath(dataDir);
  if (await isServed(dataDir))
    throw serviceError('dataDirectoryLocked', {
      path: dataDir,
      holder: `the server that answers at ${path}`,
    });
}

/** Migrates the tables, so that no worker has to. */
async function mayCreateSigner(config: Config, log: Logger): Promise<boolean> {
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  const store = await openStore({ dataDir, databaseUrl }, log);
  try {
    return await mayHaveNewSigner(store);
  } finally {
    await store.close();
  }
}

/** @returns what the first one serves. */
async function startInOrder([first, ...others]: readonly SupervisedWorker[]): Promise<ServedApp> {
  if (first === undefined) throw new RangeError('there is no worker');
  first.child.start();
  const served = await first.started;
  for (const { child } of others) child.start();
  await Promise.all(others.map(({ started }) => started));
  return served;
}

/**
 * Resolves when the work with sealed keys that the workers other than `asking` have under way has ended.
 *
 * @throws ServiceError `rotationUnfinished` when one of them is not there, or dies meanwhile: what it had begun may still be committed.
 */
async function settleOthers(workers: readonly SupervisedWorker[], asking: number): Promise<void> {
  const others = workers.filter(({ number }) => number !== asking);
  const absent = others.find(({ child }) => child.state !== 'ready');
  if (absent !== undefined)
    throw serviceError('rotationUnfinished', { reason: `worker ${absent.number} is being started again` });
  await Promise.all(others.map((worker) => worker.call('settle', null, SETTLE_MS)));
}

/** The metrics of a supervisor and its workers. */
type WorkersMetrics = {
  /** Adds the state of a child process to the supervisor's own metrics. */
  readonly watch: (name: string, child: Pick<SupervisedChild<never>, 'state' | 'restarts'>) => void;
  /** Returns the metrics of the supervisor and of these workers. One that does not answer is missing, and its child is down or hangs. */
  readonly read: (workers: readonly SupervisedWorker[]) => Promise<string>;
};

/** Creates the metrics of a supervisor, process metrics included. */
function createWorkersMetrics(): WorkersMetrics {
  const registry = new MetricsRegistry();
  collectDefaultMetrics({ register: registry });
  const watchChild = watchChildren([registry]);
  return {
    watch: (name, child) =>
      watchChild(name, () => ({ isReady: child.state === 'ready', restarts: child.restarts })),
    read: async (workers) => {
      const own = { worker: 'supervisor', text: await registry.metrics() };
      return mergeMetrics([own, ...(await Promise.all(workers.map(readWorker))).flat()]);
    },
  };
}

async function readWorker(worker: SupervisedWorker): Promise<readonly ProcessMetrics[]> {
  try {
    return [{ worker: String(worker.number), text: String(await worker.call('readMetrics')) }];
  } catch {
    return [];
  }
}

/** The metrics of one process, in Prometheus text format. */
type ProcessMetrics = { readonly worker: string; readonly text: string };

/**
 * Joins the metrics of several processes: each sample gets the label `worker`, and each metric is described once. Nothing is added up: the
 * counters of a process that starts again begin at zero, which Prometheus sees for each series by itself.
 */
export function mergeMetrics(processes: readonly ProcessMetrics[]): string {
  const families = new Map<string, { readonly head: Map<string, string>; readonly samples: string[] }>();
  for (const { worker, text } of processes) {
    let name = '';
    for (const line of text.split('\n')) {
      if (line === '') continue;
      const [, kind = '', described = name] = /^# (HELP|TYPE) (\S+)/.exec(line) ?? [];
      name = described;
      const family = families.get(name) ?? { head: new Map<string, string>(), samples: [] };
      families.set(name, family);
      if (kind !== '') family.head.set(kind, line);
      else if (!line.startsWith('#')) family.samples.push(withWorker(line, worker));
    }
  }
  return [...families.values()]
    .map(({ head, samples }) => `${[...head.values(), ...samples].join('\n')}\n`)
    .join('\n');
}

/** Adds the label in front of the others. */
function withWorker(sample: string, worker: string): string {
  const end = sample.search(/[{ ]/);
  const label = `worker="${worker}"`;
  const [name, rest] = [sample.slice(0, end), sample.slice(end)];
  if (rest.startsWith('{}')) return `${name}{${label}}${rest.slice(2)}`;
  return rest.startsWith('{') ? `${name}{${label},${rest.slice(1)}` : `${name}{${label}}${rest}`;
}

/** Calls of a worker to its supervisor. */
type WorkerRequests = {
  readonly readAllMetrics: () => Promise<string>;
  /** Called by the worker that is not to be asked. */
  readonly settleOthers: (number: number) => Promise<void>;
};

type WorkerOptions = WorkerRequests & {
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
  /** Resolves to the first addresses of the worker. Rejects if it does not serve. */
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
            process: worker.process,
            joinMs,
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

/** A process is given this long to join: on a busy machine the start of one can take long. */
const JOIN_MS = 60_000;

type WatchOptions = {
  readonly process: Pick<EventEmitter, 'once'>;
  readonly joinMs: number;
  /** Calls the process, which answers from when it joins. */
  readonly ping: (timeoutMs: number) => Promise<unknown>;
  /** Called once, if the process has not joined in time, or hangs afterwards. */
  readonly onSilence: (silence: Silence) => void;
};

/** Why a process counts as hanging: no calls were answered, or it did not join. */
type Silence =
  | { readonly kind: 'missed'; readonly missed: number }
  | { readonly kind: 'absent'; readonly waitedMs: number };

/** Watches a process of a worker from its start to its exit. @returns a function that is to be called when it joins. */
function watchWorker({ process, joinMs, ping, onSilence }: WatchOptions): () => void {
  let isOver = false;
  const timer = setTimeout(() => onSilence({ kind: 'absent', waitedMs: joinMs }), joinMs);
  let stop = (): void => clearTimeout(timer);
  process.once('exit', () => {
    isOver = true;
    stop();
  });
  return () => {
    stop();
    // Messages of a process can arrive after its exit.
    if (!isOver) stop = watchForHang(ping, (missed) => onSilence({ kind: 'missed', missed }));
  };
}

/** The interval of calls to a process, and the time for an answer. */
const PERIOD_MS = 5_000;
const MAX_MISSED = 3;

/**
 * Calls a process every 5 s, and calls `onHang` once when three calls in a row have failed: the process hangs, as one that is stopped by
 * SIGSTOP or is in an endless loop does.
 *
 * @returns a function that ends the watch.
 */
function watchForHang(
  ping: (timeoutMs: number) => Promise<unknown>,
  onHang: (missed: number) => void,
): () => void {
  let missed = 0;
  const end = (): void => clearInterval(timer);
  const take = (isAnswered: boolean): void => {
    missed = isAnswered ? 0 : missed + 1;
    if (missed < MAX_MISSED) return;
    end();
    onHang(missed);
  };
  // The last call has ended before the next one.
  const call = (): void =>
    void ping(PERIOD_MS - 1).then(
      () => take(true),
      () => take(false),
    );
  const timer = setInterval(call, PERIOD_MS);
  return end;
}
