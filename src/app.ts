import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../generated/config.ts';
import { openAccountPlane } from './account/account-plane.ts';
import { ensureDevelopmentAccount, revokeDevelopmentAccount } from './account/development-account.ts';
import type { DevelopmentFile } from './account/development-file.ts';
import { followKeys } from './account/follow-keys.ts';
import { loadPlanBook } from './account/plans.ts';
import { startAdminSocket } from './admin/admin-socket.ts';
import { createServeCommand } from './admin/serve-commands.ts';
import { isServed } from './admin/ask-admin.ts';
import { adminSocketPath } from './admin/socket-path.ts';
import { waitForLock } from './admin/wait-for-lock.ts';
import { systemClock } from './clock.ts';
import { headsFileOf } from './config.ts';
import { createAdmission } from './gate/admission.ts';
import { createAuthenticate } from './gate/authenticate.ts';
import { createFailureLog, type LogFailure } from './gate/failure-log.ts';
import { createLimitMetrics } from './gate/limit-metrics.ts';
import { createMemoryRateLimit } from './gate/memory-rate-limit.ts';
import { createMetrics, type Metrics } from './gate/metrics.ts';
import { withMetering } from './gate/with-metering.ts';
import { withObservation } from './gate/with-observation.ts';
import { startUsage } from './start-usage.ts';
import { type AnswerCache, createAnswerCache } from './ledger/cache/answer-cache.ts';
import { type CacheOutcome, withCache } from './ledger/cache/with-cache.ts';
import { createLedger, type Ledger } from './ledger/ledger.ts';
import { type DocumentedNetwork, openapiDocument } from './ledger/openapi-document.ts';
import { createReplyMemory } from './ledger/reply-memory.ts';
import { readReadiness, type WatchedNetwork } from './readiness.ts';
import { createDocs } from './server/docs/docs-routes.ts';
import {
  assertListenable,
  type HttpHandler,
  type HttpServer,
  type HttpServerOptions,
  type ListenOptions,
  startHttpServer,
} from './server/http/http-server.ts';
import { createOperations } from './server/http/operations.ts';
import { createRouter } from './server/http/router.ts';
import { createRpcEndpoint } from './server/json-rpc/rpc-endpoint.ts';
import { openStore, type Store } from './store/open-store.ts';
import { startEmbeddedLedger } from './upstream/embedded-ledger.ts';
import { connectNodes, type NodeOptions, wrapUpstream } from './upstream/open-upstream.ts';
import { createProbe } from './upstream/probe.ts';
import type { Upstream } from './upstream/upstream.ts';
import type { NetworkConfig } from './context.ts';

/** A running server. */
export type App = {
  readonly address: { readonly host: string; readonly port: number; readonly baseUrl: string };
  /** The JSON-RPC path of each network, in the order of the configuration. */
  readonly rpcPaths: readonly string[];
  /** False: an embedded ledger has not come up in time; calls answer 503 until it does. */
  readonly hasLedger: boolean;
  /** How to reach it and with which key; undefined with an operator's configuration. */
  readonly development: DevelopmentFile | undefined;
  /** Stops listening, lets requests finish until the shutdown deadline, then stops children and the store. */
  readonly close: () => Promise<void>;
};

export type AppOptions = {
  /** True: an operator's configuration; there is no development account, one left over is revoked. */
  readonly isOperated: boolean;
  /** Told what is being done, in a few words. */
  readonly onProgress?: (step: string) => void;
};

type Network = WatchedNetwork & {
  /** `<name>-<environment>`: what stands for it in paths, metrics and counts. */
  readonly label: string;
  readonly rpcPath: string;
  readonly ledger: Ledger;
  readonly upstream: Upstream;
  /** Resolves when the network's own child, if it has one, serves. */
  readonly started: Promise<void>;
};

type Observers = { readonly metrics: Metrics; readonly logFailure: LogFailure; readonly log: Logger };

type Shared = Observers & { readonly answers: AnswerCache | undefined };

/** The most that one batch, or one reply whose id must be put back, holds in memory. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const LOCALNET_DEADLINE_MS = 15_000;
const IDLE_MARGIN_MS = 15_000;

/**
 * Starts everything that the configuration asks for and resolves when it serves. The store and the embedded ledger
 * start side by side. What has been started is stopped again if a part fails.
 *
 * @throws ServiceError `dataDirectoryLocked`, `storeUnavailable`, `portTaken`, `listenFailed`, `adminPathTooLong`.
 */
export async function startApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  await assertListenable(listenOptions(config));
  adminSocketPath(config.data_dir);
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics();
  const logFailure = createFailureLog(log, systemClock);
  const progress = options.onProgress ?? (() => undefined);
  const answers = openCache(config, metrics);
  const networks = config.networks.map((network) =>
    startNetwork(network, config, { metrics, logFailure, log, answers }),
  );
  for (const { upstream } of networks) started.defer(() => upstream.close());

  progress('opening the store');
  const store = await openStoreInTurn(config, log, progress);
  started.defer(() => store.close());
  const { keyring, close: stopFollowing } = await followKeys(store);
  started.defer(stopFollowing);
  const plans = await loadPlanBook(store);
  const limitMetrics = createLimitMetrics(metrics.registry);
  const usage = startUsage({ store, clock: systemClock, log, metrics: limitMetrics }, config.usage);
  started.defer(() => usage.close());
  const account = await openAccountPlane({
    ...{ store, clock: systemClock, log },
    ...{ dataDir: config.data_dir, file: config.installation_key_file },
  });
  started.defer(() => account.close());
  const places = {
    ...{ store, keyring, plans, flushUsage: usage.flush, tokens: account.tokens, limits: account.limits },
    installationKey: () => Promise.resolve(account.installationKey),
    headsFile: headsFileOf(config),
    headKey: () => Promise.resolve(undefined),
  };
  if (options.isOperated) await revokeDevelopmentAccount(places, config.data_dir, systemClock.nowMs());

  const admin = { dataDir: config.data_dir, serve: createServeCommand(places, systemClock), log };
  const adminSocket = await startAdminSocket(admin);
  started.defer(() => adminSocket.close());

  progress('starting the ledger');
  const hasLedger = await waitForNetworks(networks);
  const authenticate = createAuthenticate(keyring, systemClock, {
    isBehindProxy: config.http.behind_proxy,
  });
  const replyMemory = createReplyMemory(config.http.max_held_reply_bytes, MAX_HELD_BYTES);
  metrics.watchReplyMemory(replyMemory);
  const rateLimit = createMemoryRateLimit();
  const endpoints = networks.map(({ rpcPath, label, ledger }): [string, HttpHandler] => {
    const metering = { network: label, count: usage.count };
    const planOf = (accountId: string) => plans.planOf(accountId);
    const onRefusal = limitMetrics.countRefusal;
    const admission = createAdmission({ rateLimit, planOf, onRefusal, ...metering });
    const metered = withMetering(ledger, metering);
    return [
      rpcPath,
      createRpcEndpoint({ ledger: metered, authenticate, admission, replyMemory, ...rpcLimits(config) }),
    ];
  });
  const operations = createOperations({
    registry: metrics.registry,
    readReadiness: () => readReadiness(networks, store),
  });
  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const docs = createDocs({ readLedgerDocument: () => openapiDocument(networks.map(documented)) });
  const routes = new Map([...operations, ...docs, ...endpoints]);
  const corsOrigins = config.http.cors_origins;
  const router = createRouter({ routes, rpcPaths, corsOrigins, onRefusal: metrics.countRefusal, log });
  const server = await startHttpServer(router, await serverOptions(config));
  started.defer(() => server.close(config.shutdown_deadline_ms));

  const baseUrl = urlOf(server, config);
  const served = { dataDir: config.data_dir, baseUrl, rpcPath: rpcPaths[0] ?? '/' };
  const development = options.isOperated
    ? undefined
    : await ensureDevelopmentAccount(places, served, systemClock.nowMs());
  const running = started.move();
  const address = { host: server.host, port: server.port, baseUrl };
  return { address, rpcPaths, hasLedger, development, close: () => running.disposeAsync() };
}

/** A command may have the embedded store for a moment, and a server that stops; one that serves keeps it. */
function openStoreInTurn(config: Config, log: Logger, progress: (step: string) => void): Promise<Store> {
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  return waitForLock(() => openStore({ dataDir, databaseUrl }, log), {
    onWait: (reason) => progress(`${reason}; waiting for it`),
    isHopeless: () => isServed(dataDir),
  });
}

function startNetwork(config: NetworkConfig, all: Config, shared: Shared): Network {
  const { metrics, logFailure, log, answers } = shared;
  const { name, environment, upstreams } = config;
  const label = `${name}-${environment}`;
  const node = nodeOptions(all);
  const embedded =
    upstreams.length === 0 ? startEmbeddedLedger({ ...historyOptions(all), node }, log) : undefined;
  const nodes =
    embedded?.upstream ??
    connectNodes(
      upstreams.map(({ url }) => url),
      node,
    );
  const { responseTimeoutMs } = node;
  const upstream = wrapUpstream(nodes, { responseTimeoutMs, onRetry: () => metrics.countRetry(label) });
  const child = embedded?.child;
  if (child !== undefined) {
    metrics.watchChild(label, () => ({ isReady: child.state === 'ready', restarts: child.restarts }));
  }
  const nodeLedger = createLedger({ upstream, environment });
  const cache = answers && {
    answers,
    network: label,
    generation: () => child?.restarts ?? 0,
    onOutcome: (method: string, outcome: CacheOutcome) => metrics.countCache(label, method, outcome),
  };
  const ledger = cache === undefined ? nodeLedger : withCache(nodeLedger, cache);
  return {
    config,
    label,
    rpcPath: `/${label}`,
    ledger: withObservation(ledger, { metrics, logFailure, network: label }),
    upstream,
    child,
    probe: createProbe(upstream),
    started: embedded?.ready ?? Promise.resolve(),
  };
}

function documented({ rpcPath, config: { name, environment } }: Network): DocumentedNetwork {
  return { rpcPath, label: `${name}, ${environment}` };
}

/** The cache that all networks share; undefined if it is turned off. */
function openCache({ cache }: Config, metrics: Metrics): AnswerCache | undefined {
  if (cache.max_bytes === 0) return undefined;
  const answers = createAnswerCache(cache.max_bytes);
  metrics.watchCache(answers.sizeBytes);
  return answers;
}

/** Whether every network's own child serves. One that does not come up in time is supervised further. */
async function waitForNetworks(networks: readonly Network[]): Promise<boolean> {
  const deadline = Promise.withResolvers<false>();
  const timer = setTimeout(() => deadline.resolve(false), LOCALNET_DEADLINE_MS);
  const started = Promise.all(networks.map((network) => network.started)).then(() => true);
  const hasLedger = await Promise.race([started, deadline.promise]);
  clearTimeout(timer);
  return hasLedger;
}

function historyOptions({ localnet }: Config) {
  return {
    slotMs: localnet.slot_ms,
    historySlots: localnet.history_slots,
    historyTransactions: localnet.history_transactions,
  };
}

function nodeOptions({ upstream }: Config): NodeOptions {
  return {
    connections: upstream.connections,
    connectTimeoutMs: upstream.connect_timeout_ms,
    responseTimeoutMs: upstream.response_timeout_ms,
    bodyTimeoutMs: upstream.body_timeout_ms,
  };
}

function rpcLimits({ http }: Config) {
  return {
    limits: { maxBatchCalls: http.max_batch_items, batchConcurrency: http.batch_concurrency },
    maxBodyBytes: http.max_body_bytes,
  };
}

function listenOptions({ http: { host, port } }: Config): ListenOptions {
  return { host, port, portSetting: 'KEYSLOT_HTTP_PORT (or http.port)' };
}

async function serverOptions(config: Config): Promise<HttpServerOptions> {
  const { http, upstream } = config;
  const { tls } = http;
  return {
    ...listenOptions(config),
    tls:
      tls === undefined
        ? undefined
        : { cert: await readFile(tls.cert_file), key: await readFile(tls.key_file) },
    requestTimeoutMs: http.body_timeout_ms,
    idleTimeoutMs: Math.max(upstream.response_timeout_ms, upstream.body_timeout_ms) + IDLE_MARGIN_MS,
  };
}

function urlOf({ host, port }: HttpServer, { http }: Config): string {
  const scheme = http.tls === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
