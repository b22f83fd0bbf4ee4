import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { loadInstallationKey } from '../account/installation-key.ts';
import { ensureDevelopmentAccount, revokeDevelopmentAccount } from '../account/development-account.ts';
import { hasAnyMember } from '../account/members/members.ts';
import { mayHaveNewSigner } from '../account/signers/known-signers.ts';
import { startAdminSocket } from '../admin/admin-socket.ts';
import { withStoreSpans } from '../store/with-store-spans.ts';
import { createServeCommand } from '../admin/serve-commands.ts';
import { adminSocketPath } from '../admin/socket-path.ts';
import { serviceError } from '../base/service-error.ts';
import { systemClock } from '../base/clock.ts';
import { readLastBackupMs } from '../backup/last-backup.ts';
import { createBackupMetrics } from '../gate/backup-metrics.ts';
import { createDriftMetrics } from '../gate/drift-metrics.ts';
import { createFailureLog } from '../gate/failure-log.ts';
import { createMetrics } from '../gate/metrics.ts';
import { createOwnReadsMetrics } from '../gate/own-reads-metrics.ts';
import { createSharedTopicsMetrics } from '../gate/shared-topics-metrics.ts';
import { createServiceLevelMetrics } from '../gate/service-level-metrics.ts';
import { createMailMetrics } from '../gate/mail-metrics.ts';
import { createWebhookMetrics } from '../gate/webhook-metrics.ts';
import { planFault } from '../gate/plan-fault.ts';
import { createDriftGuard } from '../ledger/drift/drift-guard.ts';
import { assertAllListenable } from './assert-all-listenable.ts';
import { openTls, urlOf } from './listen-options.ts';
import type { SignerLauncher } from '../signer/signer.ts';
import { createGrpcUrlOf } from './grpc-url.ts';
import { createReconfigure } from './reconfigure.ts';
import { shareOwnReads } from './share-own-reads.ts';
import { shareTopics } from './share-topics.ts';
import { startConnections } from './start-connections.ts';
import { openStoreWhenFree } from './open-store-when-free.ts';
import { startKeys } from './start-keys.ts';
import { startNetworks } from './start-network.ts';
import { startSegments } from './start-segments.ts';
import { startServer } from './start-server.ts';
import { startServiceLevel } from './start-service-level.ts';
import { startCallRecord } from './start-usage.ts';
import { startMail } from './start-mail.ts';
import { startBilling } from './start-billing.ts';
import { startAccountApi } from './start-account-api.ts';
import { startTracing } from './start-tracing.ts';
import { startWallets } from './start-wallets.ts';
import { startWebhooks } from './start-webhooks.ts';
import { waitForNetworks } from './wait-for-networks.ts';
import { servedNetwork, watchedNetwork } from './watched-network.ts';
import { openServices } from './open-services.ts';
import type { ServedApp } from './served-app.ts';
import type { Supervised, WorkerRole } from './workers/worker-role.ts';

/** A running server. */
export type App = ServedApp & {
  /**
   * Uses other nodes, and other settings of the choice between them, from now on.
   *
   * @returns the paths of the other settings that differ: they take effect with the next start.
   */
  readonly reconfigure: (config: Config) => readonly string[];
  /** Stops listening, lets requests finish until the shutdown deadline, then stops children and the store. */
  readonly close: () => Promise<void>;
};

export type AppOptions = {
  /** True: the configuration is an operator's; there is no development account, and a leftover one is revoked. */
  readonly isOperated: boolean;
  /** Called with a few words about each step of the start. */
  readonly onProgress?: (step: string) => void;
  /** Starts the signer, where it is not a child of this process. */
  readonly launcher?: SignerLauncher | undefined;
  /** Set where this process is one of several workers; `offer` is called with what the others ask of it. */
  readonly worker?: (WorkerRole & Pick<Supervised, 'offer'>) | undefined;
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
  const loadsLedgers = import('./start-ledgers.ts');
  const loadsStreams = import('./start-streams.ts');
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics();
  const tracing = await startTracing({ config, registry: metrics.registry, clock: systemClock, log });
  if (tracing !== undefined) started.defer(tracing.close);
  createBackupMetrics(metrics.registry, () => readLastBackupMs(config.data_dir));
  const progress = options.onProgress ?? (() => undefined);
  const logFailure = createFailureLog(log, systemClock);
  const driftGuard = createDriftGuard({
    samplesPerMinute: config.drift.samples_per_minute,
    ...{ metrics: createDriftMetrics(metrics.registry), log, nowMs: systemClock.nowMs },
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
    ...{ config, ownsDirectory: opensStore, mayCreateSigner, metrics, log },
    launcher: worker?.launcher ?? options.launcher,
  });
  started.defer(() => opensStore.then((store) => store.close(), ignore));
  started.defer(() => startsKeys.then((keys) => keys.close(), ignore));
  startsKeys.catch(ignore);
  mayCreateSigner.catch(ignore);
  const store = withStoreSpans(await opensStore, tracing);
  const { data_dir: dataDir, installation_key_file: file } = config;
  const segments = startSegments({ config, registry: metrics.registry, log });
  if (segments !== undefined) started.defer(segments.close);
  const topics = shareTopics({
    ...{ config, store, log, installationKey: await loadInstallationKey({ dataDir, file }) },
    metrics: createSharedTopicsMetrics(metrics.registry),
    onBlock: segments?.bytes.notePacked,
  });
  if (topics !== undefined) started.defer(topics.close);
  const { startLedgers } = await loadsLedgers;
  const {
    followed,
    sources,
    starts: ledgers,
    close: closeLedgers,
  } = startLedgers({ networks, config, logFailure, share: topics?.share, segments });
  started.defer(closeLedgers);
  const listens = Promise.withResolvers<string>();
  started.defer(() =>
    listens.reject(serviceError('adminFailed', { path: config.data_dir, reason: 'the server ended' })),
  );
  listens.promise.catch(ignore);
  const linkBase = () => listens.promise;
  const parts = {
    config,
    store,
    startsKeys,
    networks,
    ledgers,
    baseUrl: linkBase,
    metrics,
    log,
    tracing,
    worker,
  };
  const services = await openServices(parts, started);
  const { deps, account, rotation } = services;
  const stopSharing = shareOwnReads({
    ...{ config, networks, installationKey: account.installationKey, log },
    metrics: createOwnReadsMetrics(metrics.registry),
  });
  if (stopSharing !== undefined) started.defer(stopSharing);
  if (options.isOperated) await revokeDevelopmentAccount(deps, config.data_dir, systemClock.nowMs());
  const isFirst = worker?.isFirst ?? true;
  if (isFirst) {
    const admin = { dataDir: config.data_dir, serve: createServeCommand(deps, systemClock), log };
    const adminSocket = await startAdminSocket(admin);
    started.defer(() => adminSocket.close());
  }
  worker?.offer({ readMetrics: () => metrics.registry.metrics(), settle: services.keys.sealedWork.settled });
  started.defer(() => rotation.close());

  progress('starting the ledger');
  const hasLedger = await waitForNetworks(networks);
  const mail = await startMail({
    ...{ ...services.members, baseUrl: linkBase, config, store, account, clock: systemClock, log },
    metrics: createMailMetrics(metrics.registry),
  });
  if (mail !== undefined) started.defer(mail.close);
  const billing = startBilling({ config, store, mail, clock: systemClock, log });
  started.defer(billing.close);
  const { planOf } = services.gate;
  const serviceLevel = startServiceLevel({
    ...{ store, signer: services.keys.signer, clock: systemClock, log },
    metrics: createServiceLevelMetrics(metrics.registry, systemClock.nowMs),
  });
  started.defer(serviceLevel.close);
  const wallets = await startWallets({
    ...{ ...services, store, config, metrics, planOf, log },
    ...{ payLater: billing.payLater, countAnswer: serviceLevel.count, tracing },
    clock: systemClock,
  });
  started.defer(wallets.close);
  const callRecord = startCallRecord({
    ...{ store, log, calls: metrics.calls, usage: services.usage, clock: systemClock },
    networks: networks.map(({ label }) => label),
  });
  started.defer(callRecord.close);
  const webhooks = startWebhooks({
    ...{ config, store, account, mail, clock: systemClock, log, logFailure, sources, ledgers },
    metrics: createWebhookMetrics(metrics.registry),
  });
  started.defer(webhooks.close);
  let grpcPort: number | undefined;
  const shown = {
    ...{ networks: networks.map(servedNetwork), watchedNetworks: networks.map(watchedNetwork) },
    grpcUrlOf: createGrpcUrlOf(config, () => grpcPort),
  };
  const acted = {
    ...shown,
    flushCalls: callRecord.flush,
    mail,
    planFault,
    webhooks: webhooks.parts,
    walletStanding: wallets.standingOf,
    measureMonth: serviceLevel.measureMonth,
    payLater: billing.payLater,
  };
  const accountApi = await startAccountApi({
    deps: { ...deps, ...services.members, ...acted, store: store.lowPriority },
    ...{ config, metrics, log, refusals: wallets.refusals, rateLimits: services.rateLimits },
    noteUse: services.noteUse,
    ...{ tracing, clock: systemClock },
  });
  started.defer(accountApi.settled);
  const tlsFiles = await openTls(config, log);
  started.defer(() => tlsFiles?.close());
  const connections = startConnections({ config, registry: metrics.registry, log });
  started.defer(() => connections.close());
  const listening = { config, connections, tls: tlsFiles?.options, log };
  const server = await startServer({
    ...listening,
    networks,
    rooms: services,
    rest: { wallets: wallets.handler, account: accountApi.handler },
    ...{ metrics, tracing, worker, topics },
  });
  started.defer(() => server.close(config.shutdown_deadline_ms));
  listens.resolve(config.http.public_url ?? server.baseUrl);
  started.defer(serviceLevel.startProofs());

  const { startStreams } = await loadsStreams;
  const streams = await startStreams({
    ...{ ...services.gate, ...listening, networks: followed, store, logFailure, clock: systemClock },
    ...{ tracing, tokens: account.tokens, refusals: wallets.refusals, registry: metrics.registry },
  });
  started.defer(() => streams.close(config.shutdown_deadline_ms));
  grpcPort = streams.port;

  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const { baseUrl, wsUrl, metricsUrl } = server;
  const grpcUrl = urlOf({ host: config.http.host, port: streams.port }, config);
  const served = { dataDir: config.data_dir, baseUrl, wsUrl, grpcUrl, rpcPath: rpcPaths[0] ?? '/' };
  const development =
    options.isOperated || !isFirst
      ? undefined
      : await ensureDevelopmentAccount(
          { ...deps, installationKey: account.installationKey },
          served,
          systemClock.nowMs(),
        );
  const hasMembers = development !== undefined || (await hasAnyMember(store));
  if (config.shutdown_grace_ms > 0) started.defer(() => server.announceStop(config.shutdown_grace_ms));
  const running = started.move();
  const address = { host: server.host, port: server.port, baseUrl, wsUrl, grpcUrl, metricsUrl };
  const reconfigure = createReconfigure(config, networks);
  const close = () => running.disposeAsync();
  return { address, rpcPaths, hasLedger, development, hasMembers, reconfigure, close };
}

const ignore = (): void => undefined;
