import { readFile } from 'node:fs/promises';
import type { Logger } from 'pino';
import type { Config } from '../generated/config.ts';
import { type AccountPlane, openAccountPlane } from './account/account-plane.ts';
import { ensureDevelopmentAccount, revokeDevelopmentAccount } from './account/development-account.ts';
import type { DevelopmentFile } from './account/development-file.ts';
import { followKeys } from './account/follow-keys.ts';
import { loadPlanBook } from './account/plans.ts';
import { startAdminSocket } from './admin/admin-socket.ts';
import { isServed } from './admin/ask-admin.ts';
import { createMasterRotation, type MasterRotation } from './admin/master-rotation.ts';
import { type CommandPlaces, createServeCommand } from './admin/serve-commands.ts';
import { adminSocketPath } from './admin/socket-path.ts';
import { waitForLock } from './admin/wait-for-lock.ts';
import { systemClock } from './clock.ts';
import { headsFileOf } from './config.ts';
import { startHeadSigning } from './account/audit/sign-heads.ts';
import { createAdmission } from './gate/admission.ts';
import { createAuthenticate } from './gate/authenticate.ts';
import { createFailureLog } from './gate/failure-log.ts';
import { createLimitMetrics, type LimitMetrics } from './gate/limit-metrics.ts';
import { createMemoryRateLimit } from './gate/memory-rate-limit.ts';
import type { Meter } from './gate/meter.ts';
import { createMetrics, type Metrics } from './gate/metrics.ts';
import { withMetering } from './gate/with-metering.ts';
import { type DocumentedNetwork, openapiDocument } from './ledger/openapi-document.ts';
import { createReplyMemory } from './ledger/reply-memory.ts';
import { readReadiness } from './readiness.ts';
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
import { type Keys, startKeys } from './start-keys.ts';
import { type Network, startNetworks } from './start-network.ts';
import { startUsage } from './start-usage.ts';
import { startWallets } from './start-wallets.ts';
import { openStore, type Store } from './store/open-store.ts';

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

type Rooms = {
  readonly places: CommandPlaces;
  readonly account: AccountPlane;
  readonly keys: Keys;
  readonly rotation: MasterRotation;
  readonly usage: Meter;
  readonly limitMetrics: LimitMetrics;
};

/** The most that one batch, or one reply whose id must be put back, holds in memory. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const LOCALNET_DEADLINE_MS = 15_000;
const IDLE_MARGIN_MS = 15_000;

/**
 * Starts everything that the configuration asks for and resolves when it serves. The store, the embedded ledger and what
 * makes keys start side by side. What has been started is stopped again if a part fails.
 *
 * @throws ServiceError `dataDirectoryLocked`, `storeUnavailable`, `portTaken`, `listenFailed`, `adminPathTooLong`,
 *   `signerNotStarted`, `keysNotStarted`.
 */
export async function startApp(config: Config, log: Logger, options: AppOptions): Promise<App> {
  await assertListenable(listenOptions(config));
  adminSocketPath(config.data_dir);
  await using started = new AsyncDisposableStack();
  const metrics = createMetrics();
  const progress = options.onProgress ?? (() => undefined);
  const logFailure = createFailureLog(log, systemClock);
  const networks = startNetworks(config, { metrics, logFailure, log });
  for (const { upstream } of networks) started.defer(() => upstream.close());

  progress('opening the store');
  const opensStore = openStoreInTurn(config, log, progress);
  const startsKeys = startKeys({ config, ownsDirectory: opensStore, metrics, log });
  started.defer(() => opensStore.then((store) => store.close(), ignore));
  started.defer(() => startsKeys.then((keys) => keys.close(), ignore));
  startsKeys.catch(ignore);
  const store = await opensStore;
  const rooms = await openRooms({ config, store, startsKeys, metrics, log }, started);
  const { places, account, rotation } = rooms;
  if (options.isOperated) await revokeDevelopmentAccount(places, config.data_dir, systemClock.nowMs());
  const admin = { dataDir: config.data_dir, serve: createServeCommand(places, systemClock), log };
  const adminSocket = await startAdminSocket(admin);
  started.defer(() => adminSocket.close());
  started.defer(() => rotation.close());

  progress('starting the ledger');
  const hasLedger = await waitForNetworks(networks);
  const wallets = await startWallets({ ...rooms, store, config, metrics, clock: systemClock, log });
  started.defer(wallets.close);
  const server = await serveHttp({ networks, rooms, wallets: wallets.handler, config, metrics, log });
  started.defer(() => server.close(config.shutdown_deadline_ms));

  const baseUrl = urlOf(server, config);
  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const served = { dataDir: config.data_dir, baseUrl, rpcPath: rpcPaths[0] ?? '/' };
  const development = options.isOperated
    ? undefined
    : await ensureDevelopmentAccount(
        { ...places, installationKey: account.installationKey },
        served,
        systemClock.nowMs(),
      );
  const running = started.move();
  const address = { host: server.host, port: server.port, baseUrl };
  return { address, rpcPaths, hasLedger, development, close: () => running.disposeAsync() };
}

type RoomParts = {
  readonly config: Config;
  readonly store: Store;
  readonly startsKeys: Promise<Keys>;
  readonly metrics: Metrics;
  readonly log: Logger;
};

/** Opens what stands on the store. */
async function openRooms(
  { config, store, startsKeys, metrics, log }: RoomParts,
  started: AsyncDisposableStack,
): Promise<Rooms> {
  const clock = systemClock;
  const { keyring, close: stopFollowing } = await followKeys(store);
  started.defer(stopFollowing);
  const plans = await loadPlanBook(store);
  const limitMetrics = createLimitMetrics(metrics.registry);
  const usage = startUsage({ store, clock, log, metrics: limitMetrics }, config.usage);
  started.defer(() => usage.close());
  const { data_dir: dataDir, installation_key_file: file } = config;
  const account = await openAccountPlane({ store, clock, log, dataDir, file });
  started.defer(() => account.close());
  const keys = await startsKeys;
  const headsFile = headsFileOf(config);
  const headSigning = startHeadSigning({ store, key: keys.headKey, headsFile, clock }, log);
  started.defer(() => headSigning.close());
  const rotation = createMasterRotation({
    ...{ store, log, signer: keys.signer, settled: keys.sealedWork.settled },
    previousMasterKeyFile: config.hsm.soft.previous_master_key_file,
  });
  const places = {
    ...{ store, keyring, plans, flushUsage: usage.flush, tokens: account.tokens, limits: account.limits },
    installationKey: () => Promise.resolve(account.installationKey),
    ...{ headsFile, headKey: keys.headKey.publicKey, rotateMaster: rotation.run },
  };
  return { places, account, keys, rotation, usage, limitMetrics };
}

type ServedParts = {
  readonly networks: readonly Network[];
  readonly rooms: Rooms;
  /** The wallet API. */
  readonly wallets: HttpHandler;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly log: Logger;
};

/** Listens, and answers every path that is served. */
async function serveHttp(parts: ServedParts): Promise<HttpServer> {
  const { networks, rooms, wallets, config, metrics, log } = parts;
  const watched = { networks, store: rooms.places.store, signer: rooms.keys.watched };
  const operations = createOperations({
    registry: metrics.registry,
    readReadiness: () => readReadiness(watched),
  });
  const docs = createDocs({ readLedgerDocument: () => openapiDocument(networks.map(documented)) });
  const routes = new Map([...operations, ...docs, ...createEndpoints(parts)]);
  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const corsOrigins = config.http.cors_origins;
  const router = createRouter({
    routes,
    wallets,
    rpcPaths,
    corsOrigins,
    onRefusal: metrics.countRefusal,
    log,
  });
  return startHttpServer(router, await serverOptions(config));
}

/** What answers JSON-RPC, by the path of each network. */
function createEndpoints({
  networks,
  rooms,
  config,
  metrics,
}: ServedParts): ReadonlyMap<string, HttpHandler> {
  const { places, usage, limitMetrics } = rooms;
  const { keyring, plans } = places;
  const { behind_proxy: isBehindProxy, max_held_reply_bytes: maxHeldBytes } = config.http;
  const authenticate = createAuthenticate(keyring, systemClock, { isBehindProxy });
  const replyMemory = createReplyMemory(maxHeldBytes, MAX_HELD_BYTES);
  metrics.watchReplyMemory(replyMemory);
  const rateLimit = createMemoryRateLimit();
  const planOf = (accountId: string) => plans.planOf(accountId);
  const onRefusal = limitMetrics.countRefusal;
  return new Map(
    networks.map(({ rpcPath, label, ledger: bare }) => {
      const metering = { network: label, count: usage.count };
      const admission = createAdmission({ rateLimit, planOf, onRefusal, ...metering });
      const ledger = withMetering(bare, metering);
      const parts = { ledger, authenticate, admission, replyMemory, ...rpcLimits(config) };
      return [rpcPath, createRpcEndpoint(parts)];
    }),
  );
}

/** A command may have the embedded store for a moment, and a server that stops; one that serves keeps it. */
function openStoreInTurn(config: Config, log: Logger, progress: (step: string) => void): Promise<Store> {
  const { data_dir: dataDir, database_url: databaseUrl } = config;
  return waitForLock(() => openStore({ dataDir, databaseUrl }, log), {
    onWait: (reason) => progress(`${reason}; waiting for it`),
    isHopeless: () => isServed(dataDir),
  });
}

function documented({ rpcPath, config: { name, environment } }: Network): DocumentedNetwork {
  return { rpcPath, label: `${name}, ${environment}` };
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

const ignore = (): void => undefined;

function urlOf({ host, port }: HttpServer, { http }: Config): string {
  const scheme = http.tls === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
