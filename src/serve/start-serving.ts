import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { loadInstallationKey } from '../account/sealing/installation-key.ts';
import { ensureDevelopmentAccount, revokeDevelopmentAccount } from '../account/setup/development-account.ts';
import { hasAnyMember } from '../account/identity/members/members.ts';
import { startAdminSocket } from '../operate/admin/admin-socket.ts';
import { createServeCommand } from '../operate/admin/serve-commands.ts';
import { serviceError } from '../core/service-error.ts';
import { systemClock } from '../core/clock.ts';
import type { AsyncDisposableStack } from '../core/disposable-stack.ts';
import { createReadYourWritesMetrics } from '../gateway/ledger/read-your-writes/read-your-writes-metrics.ts';
import { createSharedTopicsMetrics } from '../gateway/streams/shared/shared-topics-metrics.ts';
import { createServiceLevelMetrics } from '../account/service-level/service-level-metrics.ts';
import { createMailMetrics } from '../account/email/mail-metrics.ts';
import { createWebhookMetrics } from '../account/webhooks/webhook-metrics.ts';
import { planFault } from '../server/access/weigh.ts';
import { openTls, urlOf } from './listen-options.ts';
import { createReconfigure } from './reconfigure.ts';
import { shareReadYourWrites } from './share-read-your-writes.ts';
import { shareTopics } from './share-topics.ts';
import { startConnections } from './start-connections.ts';
import type { Network } from './start-network.ts';
import { startSegments } from '../gateway/streams/segments/start-segments.ts';
import { startServer } from './start-server.ts';
import { startServiceLevel } from './start-service-level.ts';
import { startCallRecord } from './start-usage.ts';
import { startMail } from '../account/email/start-mail.ts';
import { startBilling } from './start-billing.ts';
import { startAccountApi } from './start-account-api.ts';
import { startWallets } from './start-wallets.ts';
import { startWebhooks } from './start-webhooks.ts';
import { openServices } from './open-services.ts';
import type { ServedApp } from './served-app.ts';
import type { Supervised, WorkerRole } from './workers/worker-role.ts';
import type { PrioritizedStore } from '../store/open-store.ts';
import type { ServedNetwork } from '../account/api/account-context.ts';
import type { WatchedNetwork } from '../account/api/service-deps.ts';
import { startLedgers } from './start-ledgers.ts';
import { startStreams } from './start-streams.ts';
import type { Keys } from './start-keys.ts';
import type { LogFailure } from '../server/access/failure-log.ts';
import type { Metrics } from '../server/access/metrics.ts';
import type { Tracing } from '../core/tracing.ts';

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

/** The parts that began before the store was open, and the store. */
export type Begun = {
  /** True: the configuration is an operator's; there is no development account, and a leftover one is revoked. */
  readonly isOperated: boolean;
  /** Set where this process is one of several workers; `offer` is called with what the others ask of it. */
  readonly worker?: (WorkerRole & Pick<Supervised, 'offer'>) | undefined;
  readonly config: Config;
  readonly store: PrioritizedStore;
  readonly startsKeys: Promise<Keys>;
  readonly networks: readonly Network[];
  readonly metrics: Metrics;
  readonly log: Logger;
  readonly logFailure: LogFailure;
  readonly tracing: Tracing | undefined;
  /** Called with a few words about each step. */
  readonly progress: (step: string) => void;
};

/**
 * Opens what needs the store, and serves. The stack closes what has begun, and what is opened here.
 *
 * @throws ServiceError as `startApp` does.
 */
export async function startServing(
  {
    config,
    store,
    startsKeys,
    networks,
    metrics,
    log,
    logFailure,
    tracing,
    progress,
    isOperated,
    worker,
  }: Begun,
  started: AsyncDisposableStack,
): Promise<App> {
  const { data_dir: dataDir, installation_key_file: file } = config;
  const segments = startSegments({ config, registry: metrics.registry, log });
  if (segments !== undefined) started.defer(segments.close);
  const topics = shareTopics({
    config,
    store,
    log,
    installationKey: await loadInstallationKey({ dataDir, file }),
    metrics: createSharedTopicsMetrics(metrics.registry),
    onBlock: segments?.bytes.notePacked,
  });
  if (topics !== undefined) started.defer(topics.close);
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
  listens.promise.catch(() => undefined);
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
  const stopSharing = shareReadYourWrites({
    config,
    networks,
    installationKey: account.installationKey,
    log,
    metrics: createReadYourWritesMetrics(metrics.registry),
  });
  if (stopSharing !== undefined) started.defer(stopSharing);
  if (isOperated) await revokeDevelopmentAccount(deps, config.data_dir, systemClock.nowMs());
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
    ...services.members,
    baseUrl: linkBase,
    config,
    store,
    account,
    clock: systemClock,
    log,
    metrics: createMailMetrics(metrics.registry),
  });
  if (mail !== undefined) started.defer(mail.close);
  const billing = startBilling({ config, store, mail, clock: systemClock, log });
  started.defer(billing.close);
  const { planOf } = services.gate;
  const serviceLevel = startServiceLevel({
    store,
    signer: services.keys.signer,
    clock: systemClock,
    log,
    metrics: createServiceLevelMetrics(metrics.registry, systemClock.nowMs),
  });
  started.defer(serviceLevel.close);
  const wallets = await startWallets({
    ...services,
    store,
    config,
    metrics,
    planOf,
    log,
    payLater: billing.payLater,
    countAnswer: serviceLevel.count,
    requests: services.gate.requests,
    tracing,
    clock: systemClock,
  });
  started.defer(wallets.close);
  const callRecord = startCallRecord({
    store,
    log,
    calls: metrics.calls,
    usage: services.usage,
    clock: systemClock,
    networks: networks.map(({ label }) => label),
  });
  started.defer(callRecord.close);
  const webhooks = startWebhooks({
    config,
    store,
    planOf,
    account,
    mail,
    clock: systemClock,
    log,
    logFailure,
    sources,
    ledgers,
    metrics: createWebhookMetrics(metrics.registry),
  });
  started.defer(webhooks.close);
  let grpcPort: number | undefined;
  const shown = {
    networks: networks.map(servedNetwork),
    watchedNetworks: networks.map(watchedNetwork),
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
    bounds: config.accounts,
  };
  const accountApi = await startAccountApi({
    deps: { ...deps, ...services.members, ...acted, store: store.lowPriority },
    config,
    metrics,
    log,
    planOf,
    refusals: wallets.refusals,
    rateLimits: services.rateLimits,
    noteUse: services.noteUse,
    requests: services.gate.requests,
    tracing,
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
    services,
    rest: { wallets: wallets.handler, account: accountApi.handler },
    metrics,
    tracing,
    worker,
    grpcUrlOf: shown.grpcUrlOf,
    topics,
  });
  started.defer(() => server.close(config.shutdown_deadline_ms));
  listens.resolve(config.http.public_url ?? server.baseUrl);
  started.defer(serviceLevel.startProofs());

  const streams = await startStreams({
    ...services.gate,
    ...listening,
    networks: followed,
    store,
    logFailure,
    clock: systemClock,
    tracing,
    tokens: account.tokens,
    refusals: wallets.refusals,
    registry: metrics.registry,
  });
  started.defer(() => streams.close(config.shutdown_deadline_ms));
  grpcPort = streams.port;

  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const { baseUrl, wsUrl, metricsUrl } = server;
  const grpcUrl = urlOf({ host: config.http.host, port: streams.port }, config);
  const served = { dataDir: config.data_dir, baseUrl, wsUrl, grpcUrl, rpcPath: rpcPaths[0] ?? '/' };
  const development =
    isOperated || !isFirst
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

const LOCALNET_DEADLINE_MS = 15_000;

/** Waits for each network's own child. @returns false if one is not ready in time; it stays supervised. */
async function waitForNetworks(networks: readonly Pick<Network, 'started'>[]): Promise<boolean> {
  const deadline = Promise.withResolvers<false>();
  const timer = setTimeout(() => deadline.resolve(false), LOCALNET_DEADLINE_MS);
  const started = Promise.all(networks.map((network) => network.started)).then(() => true);
  const hasLedger = await Promise.race([started, deadline.promise]);
  clearTimeout(timer);
  return hasLedger;
}

/**
 * Creates the function that returns the address of the topic streams for clients that know the server by a base URL: `grpc.public_url`,
 * else the host of the base URL with this server's own port. Undefined behind a proxy, which may serve them anywhere, and before the port
 * is known.
 */
export function createGrpcUrlOf(
  config: Config,
  port: () => number | undefined,
): (baseUrl: string) => string | undefined {
  const { public_url: publicUrl } = config.grpc;
  return (baseUrl) => {
    const bound = port();
    if (publicUrl !== undefined || config.http.behind_proxy || bound === undefined) return publicUrl;
    const { hostname } = new URL(baseUrl);
    return urlOf({ host: hostname.replace(/^\[(.*)\]$/, '$1'), port: bound }, config);
  };
}

/** Returns a network as the account service shows it: with its state. */
export function watchedNetwork(network: Network): WatchedNetwork {
  const { label, rpcPath, probe, nodes, pace, drift } = network;
  const { name, environment } = network.config;
  return {
    name,
    environment,
    label,
    rpcPath,
    probe,
    statuses: nodes.statuses,
    drift,
    consensus: nodes.consensus,
    pace: () => pace.standing(),
    newestSlot: () => {
      const slots = nodes.statuses().flatMap(({ slot }) => slot ?? []);
      const newest = Math.max(pace.newestSlot ?? -1, ...slots);
      return newest < 0 ? undefined : newest;
    },
  };
}

/** Returns a network as sessions show it: where it is served. */
function servedNetwork({ rpcPath, config: { name, environment } }: Network): ServedNetwork {
  return { name, environment, rpcPath };
}
