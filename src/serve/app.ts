import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { mayHaveNewSigner } from '../account/signer-records/known-signers.ts';
import { withStoreSpans } from '../store/with-store-spans.ts';
import { adminSocketPath, isServed } from '../operate/admin/ask-admin.ts';
import { systemClock } from '../core/clock.ts';
import { AsyncDisposableStack } from '../core/disposable-stack.ts';
import { readLastBackupMs } from '../operate/backup/last-backup.ts';
import { createBackupMetrics } from '../operate/backup/backup-metrics.ts';
import { createDriftMetrics } from '../gateway/ledger/drift/drift-metrics.ts';
import { createFailureLog } from '../server/access/failure-log.ts';
import { createMetrics } from '../server/access/metrics.ts';
import { createDriftGuard } from '../gateway/ledger/drift/drift-guard.ts';
import { assertAllListenable } from './assert-all-listenable.ts';
import type { SignerLauncher } from '../signer/signer.ts';
import { startKeys } from './start-keys.ts';
import { startNetworks } from './start-network.ts';
import { startTracing } from './start-tracing.ts';
import { waitForLock } from '../operate/admin/wait-for-lock.ts';
import { openStore, type PrioritizedStore } from '../store/open-store.ts';
import type { App, Begun } from './start-serving.ts';

export type AppOptions = Pick<Begun, 'isOperated' | 'worker'> & {
  /** Called with a few words about each step of the start. */
  readonly onProgress?: (step: string) => void;
  /** Starts the signer, where it is not a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
};

/**
 * Starts everything that the configuration asks for and resolves when it serves. The store, the embedded ledger, the key pool
 * and the signer start side by side. If a part fails, the parts already started are stopped.
 *
 * @throws ServiceError `dataDirectoryLocked`, `storeUnavailable`, `portTaken`, `listenFailed`, `adminPathTooLong`,
 *   `signerNotStarted`, `tokenPinRefused`, `keyGenerationNotStarted`.
 */
export async function startApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  const { worker } = options;
  if (worker === undefined) await assertAllListenable(config);
  adminSocketPath(config.data_dir);
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics();
  const tracing = await startTracing({ config, registry: metrics.registry, clock: systemClock, log });
  if (tracing !== undefined) started.defer(tracing.close);
  createBackupMetrics(metrics.registry, () => readLastBackupMs(config.data_dir));
  const progress = options.onProgress ?? (() => undefined);
  const logFailure = createFailureLog(log, systemClock);
  const driftGuard = createDriftGuard({
    samplesPerMinute: config.drift.samples_per_minute,
    metrics: createDriftMetrics(metrics.registry),
    log,
    nowMs: systemClock.nowMs,
  });
  started.defer(() => driftGuard.close());
  const networks = startNetworks(config, { metrics, logFailure, log, driftGuard, tracing });
  for (const { close, hub } of networks) {
    started.defer(close);
    started.defer(() => hub.close());
  }

  progress('opening the store');
  const opensStore = openStoreWhenFree(config, log, progress);
  const mayCreateSigner = opensStore.then(mayHaveNewSigner);
  const startsKeys = startKeys({
    config,
    ownsDirectory: opensStore,
    mayCreateSigner,
    metrics,
    log,
    launcher: worker?.launcher ?? options.launcher,
  });
  // While other threads and processes start: it is most of the server's code.
  const loadsServing = import('./start-serving.ts');
  started.defer(() => opensStore.then((store) => store.close(), ignore));
  started.defer(() => startsKeys.then((keys) => keys.close(), ignore));
  startsKeys.catch(ignore);
  mayCreateSigner.catch(ignore);
  const store = withStoreSpans(await opensStore, tracing);
  const { startServing } = await loadsServing;
  const begun = { config, store, startsKeys, networks, metrics, log, logFailure, tracing };
  return await startServing({ ...begun, ...options, progress }, started);
}

const ignore = (): void => undefined;

/**
 * A command, or a server that is stopping, holds the embedded store only for a moment, so this waits for it; a server that
 * serves keeps it.
 */
function openStoreWhenFree(
  config: Config,
  log: Logger,
  progress: (step: string) => void,
): Promise<PrioritizedStore> {
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  return waitForLock(() => openStore({ dataDir, databaseUrl }, log), {
    onWait: (reason) => progress(`${reason}; waiting for it`),
    isHopeless: () => isServed(dataDir),
  });
}
