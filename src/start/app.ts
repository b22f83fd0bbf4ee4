import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { ensureDevelopmentAccount, revokeDevelopmentAccount } from '../account/development-account.ts';
import type { DevelopmentFile } from '../account/development-file.ts';
import { hasAnyMember } from '../account/members/members.ts';
import { mayHaveNewSigner } from '../account/signers/known-signers.ts';
import { startAdminSocket } from '../admin/admin-socket.ts';
import { createServeCommand } from '../admin/serve-commands.ts';
import { adminSocketPath } from '../admin/socket-path.ts';
import { serviceError } from '../base/service-error.ts';
import { systemClock } from '../base/clock.ts';
import { createDriftMetrics } from '../gate/drift-metrics.ts';
import { createFailureLog } from '../gate/failure-log.ts';
import { createMetrics } from '../gate/metrics.ts';
import { createWebhookMetrics } from '../gate/webhook-metrics.ts';
import { planFault } from '../gate/plan-fault.ts';
import { createDriftGuard } from '../ledger/drift/drift-guard.ts';
import {
  grpcListenOptions,
  listenOptions,
  metricsListenOptions,
  openTls,
  socketListenOptions,
  urlOf,
} from './listen-options.ts';
import { assertListenable } from '../server/connections/listener.ts';
import type { SignerLauncher } from '../signer/signer.ts';
import { createGrpcUrlOf } from './grpc-url.ts';
import { startConnections } from './start-connections.ts';
import { openStoreWhenFree } from './open-store-when-free.ts';
import { startKeys } from './start-keys.ts';
import { startNetworks } from './start-network.ts';
import { startServer } from './start-server.ts';
import { startCallRecord } from './start-usage.ts';
import { startMail } from './start-mail.ts';
import { startAccountApi } from './start-account-api.ts';
import { startWallets } from './start-wallets.ts';
import { startWebhooks } from './start-webhooks.ts';
import { waitForNetworks } from './wait-for-networks.ts';
import { servedNetwork, watchedNetwork } from './watched-network.ts';
import { openServices } from './open-services.ts';

/** A running server. */
export type App = {
  readonly address: {
    readonly host: string;
    readonly port: number;
    readonly baseUrl: string;
    readonly wsUrl: string;
    /** The address of the topic streams. */
    readonly grpcUrl: string;
    /** The address of `/metrics`. */
    readonly metricsUrl: string;
  };
  /** The JSON-RPC path of each network, in the order of the configuration. */
  readonly rpcPaths: readonly string[];
  /** False: an embedded ledger did not start in time; calls answer 503 until it does. */
  readonly hasLedger: boolean;
  /** The development address and key; undefined with an operator's configuration. */
  readonly development: DevelopmentFile | undefined;
  /** False: nobody can sign in to the dashboard yet. */
  readonly hasMembers: boolean;
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
};

/**
 * Starts everything that the configuration asks for and resolves when it serves. The store, the embedded ledger, the key pool
 * and the signer start side by side. If a part fails, the parts already started are stopped.
 *
 * @throws ServiceError `dataDirectoryLocked`, `storeUnavailable`, `portTaken`, `listenFailed`, `adminPathTooLong`,
 *   `signerNotStarted`, `keyGenerationNotStarted`.
 */
export async function startApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  await assertListenable(listenOptions(config));
  const others = [socketListenOptions, grpcListenOptions, metricsListenOptions];
  for (const listener of others.map((optionsOf) => optionsOf(config)))
    if (listener !== undefined) await assertListenable(listener);
  adminSocketPath(config.data_dir);
  const loadsLedgers = import('./start-ledgers.ts');
  const loadsStreams = import('./start-streams.ts');
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics();
  const progress = options.onProgress ?? (() => undefined);
  const logFailure = createFailureLog(log, systemClock);
  const driftGuard = createDriftGuard({
    samplesPerMinute: config.drift.samples_per_minute,
    ...{ metrics: createDriftMetrics(metrics.registry), log, nowMs: systemClock.nowMs },
  });
  started.defer(() => driftGuard.close());
  const networks = startNetworks(config, { metrics, logFailure, log, driftGuard });
  for (const { close, hub } of networks) {
    started.defer(close);
    started.defer(() => hub.close());
  }

  const { startLedgers } = await loadsLedgers;
  const {
    followed,
    sources,
    starts: ledgers,
    close: closeLedgers,
  } = startLedgers(networks, config, logFailure);
  started.defer(closeLedgers);

  progress('opening the store');
  const opensStore = openStoreWhenFree(config, log, progress);
  const mayCreateSigner = opensStore.then(mayHaveNewSigner);
  const startsKeys = startKeys({
    ...{ config, ownsDirectory: opensStore, mayCreateSigner, metrics, log },
    launcher: options.launcher,
  });
  started.defer(() => opensStore.then((store) => store.close(), ignore));
  started.defer(() => startsKeys.then((keys) => keys.close(), ignore));
  startsKeys.catch(ignore);
  mayCreateSigner.catch(ignore);
  const store = await opensStore;
  const listens = Promise.withResolvers<string>();
  started.defer(() =>
    listens.reject(serviceError('adminFailed', { path: config.data_dir, reason: 'the server ended' })),
  );
  listens.promise.catch(ignore);
  const linkBase = () => listens.promise;
  const parts = { config, store, startsKeys, networks, ledgers, baseUrl: linkBase, metrics, log };
  const services = await openServices(parts, started);
  const { deps, account, rotation } = services;
  if (options.isOperated) await revokeDevelopmentAccount(deps, config.data_dir, systemClock.nowMs());
  const admin = { dataDir: config.data_dir, serve: createServeCommand(deps, systemClock), log };
  const adminSocket = await startAdminSocket(admin);
  started.defer(() => adminSocket.close());
  started.defer(() => rotation.close());

  progress('starting the ledger');
  const hasLedger = await waitForNetworks(networks);
  const { planOf } = services.gate;
  const wallets = await startWallets({
    ...{ ...services, store, config, metrics, planOf, log },
    clock: systemClock,
  });
  started.defer(wallets.close);
  const callRecord = startCallRecord({
    ...{ store, log, calls: metrics.calls, networks: networks.map(({ label }) => label) },
    clock: systemClock,
  });
  started.defer(callRecord.close);
  const mail = await startMail({ ...services.members, baseUrl: linkBase, config, log });
  if (mail !== undefined) started.defer(mail.close);
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
  };
  const accountApi = await startAccountApi({
    deps: { ...deps, ...services.members, ...acted },
    ...{ config, metrics, log, refusals: wallets.refusals },
    noteUse: services.noteUse,
    clock: systemClock,
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
    metrics,
  });
  started.defer(() => server.close(config.shutdown_deadline_ms));
  listens.resolve(config.http.public_url ?? server.baseUrl);

  const { startStreams } = await loadsStreams;
  const streams = await startStreams({
    ...{ ...services.gate, ...listening, networks: followed, store, logFailure, clock: systemClock },
    ...{ tokens: account.tokens, refusals: wallets.refusals, registry: metrics.registry },
  });
  started.defer(() => streams.close(config.shutdown_deadline_ms));
  grpcPort = streams.port;

  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const { baseUrl, wsUrl, metricsUrl } = server;
  const grpcUrl = urlOf({ host: config.http.host, port: streams.port }, config);
  const served = { dataDir: config.data_dir, baseUrl, wsUrl, grpcUrl, rpcPath: rpcPaths[0] ?? '/' };
  const development = options.isOperated
    ? undefined
    : await ensureDevelopmentAccount(
        { ...deps, installationKey: account.installationKey },
        served,
        systemClock.nowMs(),
      );
  const hasMembers = development !== undefined || (await hasAnyMember(store));
  const running = started.move();
  const address = { host: server.host, port: server.port, baseUrl, wsUrl, grpcUrl, metricsUrl };
  return { address, rpcPaths, hasLedger, development, hasMembers, close: () => running.disposeAsync() };
}

const ignore = (): void => undefined;
