import cluster from 'node:cluster';
import type { Logger } from 'pino';
import type { Config } from '../../../generated/config.ts';
import { mayHaveNewSigner } from '../../account/signers/known-signers.ts';
import { isServed } from '../../admin/ask-admin.ts';
import { adminSocketPath } from '../../admin/socket-path.ts';
import { childOptions } from '../../base/harden-process.ts';
import { serviceError } from '../../base/service-error.ts';
import { startSharedSigner } from '../../signer/shared/start-shared-signer.ts';
import type { SignerLauncher } from '../../signer/signer.ts';
import { openStore } from '../../store/open-store.ts';
import { assertAllListenable } from '../assert-all-listenable.ts';
import type { ServedApp } from '../served-app.ts';
import { settleOthers } from './settle-others.ts';
import { SupervisedWorker } from './supervise-worker.ts';
import { createWorkersMetrics } from './workers-metrics.ts';

/** The running workers. */
export type Workers = {
  /** What the first of them serves; the others serve the same. */
  readonly served: ServedApp;
  /** Has each of them read the configuration anew. */
  readonly reload: () => void;
  /** Lets each of them finish as a server does, then stops the signer. */
  readonly close: () => Promise<void>;
};

export type WorkersOptions = {
  readonly onProgress: (step: string) => void;
  /** Starts the signer, where it is not a child of this process. */
  readonly launcher: SignerLauncher | undefined;
};

/** What a worker needs beyond the grace and the deadline of its requests: it stops its parts in order. */
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
    ...{ args: process.argv.slice(2), execArgv: childOptions() },
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
      ...{ number: index + 1, config, log, onChange: tellStanding },
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
