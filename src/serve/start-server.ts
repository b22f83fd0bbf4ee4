import { setTimeout } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../../generated/config.ts';
import { systemClock } from '../core/clock.ts';
import type { Tracing } from '../core/tracing.ts';
import type { CommandDeps } from '../operate/admin/serve-commands.ts';
import { createAdmission } from '../server/access/admission.ts';
import { createKeyCheck } from '../server/access/key-standing.ts';
import type { Metrics } from '../server/access/metrics.ts';
import { createSocketMetrics, LiveSockets } from '../server/websocket/live-sockets.ts';
import { createReplyMemory } from '../core/rpc/reply-memory.ts';
import { readReadiness, type WatchedTopics, withTopics, withWorkers } from './readiness.ts';
import { type BaseUrlOptions, createBaseUrlOf } from '../server/http/base-url.ts';
import { createDashboard, DASHBOARD_PATH } from '../server/pages/dashboard/dashboard-routes.ts';
import { createRootRedirect } from '../server/pages/dashboard/root-redirect.ts';
import { createDocuments } from '../server/pages/docs/documents.ts';
import { createReference, DOCS_PATH, type DocumentedNetwork } from '../server/pages/docs/reference.ts';
import { Connections } from '../server/connections/connections.ts';
import {
  type HttpHandler,
  type HttpHandlers,
  type HttpServer,
  startHttpServer,
} from '../server/http/http-server.ts';
import {
  createMetricsHandler,
  createStatusRoutes,
  type ReadableMetrics,
} from '../server/http/status-routes.ts';
import { createRouter, type RpcHandler } from '../server/http/router.ts';
import type { RestServiceName } from '../server/http/target.ts';
import { withRequestSpan } from '../server/json-rpc/with-request-span.ts';
import { createRpcEndpoint } from '../server/json-rpc/rpc-endpoint.ts';
import { createSocketEndpoint, type SocketEndpoint } from '../server/websocket/socket-endpoint.ts';
import { createUpgrades, refuseHttp } from '../server/websocket/upgrades.ts';
import type { TlsOptions } from '../server/tls/tls-files.ts';
import type { Keys } from './start-keys.ts';
import type { Network } from './start-network.ts';
import type { WorkerRole } from './workers/worker-role.ts';
import { type Gate, trustsPeerOf } from './start-gate.ts';
import {
  httpUrl,
  listenOptions,
  metricsListenOptions,
  socketListenOptions,
  timeouts,
  urlOf,
} from './listen-options.ts';

export type ServedParts = {
  readonly networks: readonly Network[];
  readonly services: {
    readonly deps: CommandDeps;
    readonly keys: Keys;
    readonly gate: Gate;
  };
  /** The REST services. */
  readonly rest: Readonly<Record<RestServiceName, HttpHandler>>;
  readonly config: Config;
  readonly connections: Connections;
  readonly tls: TlsOptions | undefined;
  readonly metrics: Metrics;
  readonly tracing?: Tracing | undefined;
  readonly log: Logger;
  /** Set where this process is one of several workers: what it says of itself, it says of all. */
  readonly worker?: Pick<WorkerRole, 'readAllMetrics' | 'standing'> | undefined;
  /** Returns the address of the topic streams for clients that know the server by a base URL, if it is known. */
  readonly grpcUrlOf: (baseUrl: string) => string | undefined;
  /** Set where blocks of topics are shared with other gateways. */
  readonly topics?: WatchedTopics | undefined;
};

/** The server for clients and its addresses. */
export type ClientServer = {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** WebSocket on the same port: `ws://` or `wss://`. */
  readonly wsUrl: string;
  /** The address of `/metrics`. */
  readonly metricsUrl: string;
  /** Continues to serve for `graceMs`, while `/readyz` says that it stops and each answer closes its connection. */
  readonly announceStop: (graceMs: number) => Promise<void>;
  readonly close: (deadlineMs: number) => Promise<void>;
};

type Endpoint = { readonly http: RpcHandler; readonly socket: SocketEndpoint };

/** The most memory that one batch, or one reply whose id must be restored, holds. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/**
 * Listens and serves every path: HTTP and WebSocket on one port, WebSocket alone on the second one, and the metrics on their
 * own port if they have one.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
export async function startServer(parts: ServedParts): Promise<ClientServer> {
  const { config, connections, tls, metrics, log } = parts;
  const sockets = openSockets(parts);
  const endpoints = createEndpoints(parts, sockets);
  const onUpgrade = createUpgrades({
    endpoints: new Map([...endpoints].map(([path, { socket }]) => [path, socket])),
    corsOrigins: config.http.cors_origins,
    maxBodyBytes: config.http.max_body_bytes,
    sockets: sockets.live,
    onRefusal: metrics.countRefusal,
    log,
  });
  const options = {
    ...timeouts(config),
    connections,
    tls,
    onUpgrade,
    ownParser: config.http.own_parser,
    drainSockets: (deadlineMs: number) => sockets.live.drain(deadlineMs),
  };
  const servers: HttpServer[] = [];
  const metricsConnections = new Connections(METRICS_CONNECTIONS);
  const close = async (deadlineMs: number): Promise<void> => {
    await Promise.all(servers.map((server) => server.close(deadlineMs)));
    metricsConnections.close();
  };
  let isStopping = false;
  const announceStop = async (graceMs: number): Promise<void> => {
    isStopping = true;
    for (const server of servers) server.closeAfterAnswers();
    await setTimeout(graceMs);
  };
  const start = async (...server: Parameters<typeof startHttpServer>): Promise<HttpServer> => {
    const started = await startHttpServer(...server);
    servers.push(started);
    return started;
  };
  try {
    const handlers = createHandler(parts, endpoints, () => isStopping);
    const server = await start(handlers, { ...listenOptions(config), ...options });
    const second = socketListenOptions(config);
    if (second !== undefined) await start(refuseHttp, { ...second, ...options });
    const metricsBase = await startMetrics(parts, metricsConnections, start);
    const [baseUrl, wsUrl] = [urlOf(server, config), urlOf(server, config, 'ws')];
    const metricsUrl = `${metricsBase ?? baseUrl}/metrics`;
    return { host: server.host, port: server.port, baseUrl, wsUrl, metricsUrl, announceStop, close };
  } catch (error) {
    await close(0);
    throw error;
  }
}

/** Clients and metrics scrapers must not take each other's connections. */
const METRICS_CONNECTIONS = { maxConnections: 64, maxPerAddress: 32 } as const;

/** Starts the metrics' own listener, if they have one. @returns their address. */
async function startMetrics(
  { config, metrics, worker }: ServedParts,
  connections: Connections,
  start: typeof startHttpServer,
): Promise<string | undefined> {
  const listening = metricsListenOptions(config);
  if (listening === undefined) return undefined;
  const handler = createMetricsHandler(readableMetrics({ metrics, worker }));
  const server = await start(handler, { ...listening, ...timeouts(config), connections });
  return httpUrl(server);
}

function readableMetrics({ metrics, worker }: Pick<ServedParts, 'metrics' | 'worker'>): ReadableMetrics {
  const { registry } = metrics;
  return { contentType: registry.contentType, read: worker?.readAllMetrics ?? (() => registry.metrics()) };
}

/** A fifth of all connections is not for WebSockets: they may be in use for days, and then make no room for others. */
const SOCKETS_SHARE = 0.8;

function openSockets({ config: { websocket }, connections, metrics }: ServedParts) {
  const socketMetrics = createSocketMetrics(metrics.registry);
  const limits = {
    maxSockets: Math.min(websocket.max_sockets, Math.floor(connections.limit * SOCKETS_SHARE)),
    maxSocketsPerKey: websocket.max_sockets_per_key,
    maxSubscriptionsPerKey: websocket.max_subscriptions_per_key,
  };
  return { live: new LiveSockets(limits, socketMetrics), metrics: socketMetrics };
}

function createHandler(
  parts: ServedParts,
  endpoints: ReadonlyMap<string, Endpoint>,
  isStopping: () => boolean,
): HttpHandlers {
  const { networks, services, rest, config, metrics, log, worker, topics } = parts;
  const watched = { networks, store: services.deps.store, signer: services.keys.watched };
  const rpcPaths = networks.map(({ rpcPath }) => rpcPath);
  const baseUrlOf = createBaseUrlOf(baseUrlOptions(config));
  const operations = createStatusRoutes({
    metrics: metricsListenOptions(config) === undefined ? readableMetrics(parts) : undefined,
    isBehindProxy: config.http.behind_proxy,
    readReadiness: async (excluded) => ({
      ...withTopics(withWorkers(await readReadiness(watched, excluded), worker), topics),
      isStopping: isStopping(),
    }),
    rpcPaths,
    baseUrlOf,
  });
  const reference = createReference({
    networks: networks.map(documented),
    baseUrlOf,
    grpcUrlOf: parts.grpcUrlOf,
  });
  return createRouter({
    routes: new Map([...operations, ...createDocuments(), ...rootRedirect(rpcPaths)]),
    pages: new Map([
      [DASHBOARD_PATH, createDashboard({ baseUrlOf })],
      [DOCS_PATH, reference],
    ]),
    rpc: new Map([...endpoints].map(([path, { http }]) => [path, http])),
    rest,
    corsOrigins: config.http.cors_origins,
    onRefusal: metrics.countRefusal,
    log,
  });
}

/** A network may be served at the bare address; it keeps it. */
function rootRedirect(rpcPaths: readonly string[]): readonly (readonly [string, HttpHandler])[] {
  return rpcPaths.includes('/') ? [] : [['/', createRootRedirect(rpcPaths)]];
}

/** Creates the JSON-RPC endpoint of each network, by path. */
function createEndpoints(
  { networks, services, config, metrics, tracing }: ServedParts,
  sockets: ReturnType<typeof openSockets>,
): ReadonlyMap<string, Endpoint> {
  const { authenticate, clientAddress, openTally, ...limits } = services.gate;
  const { keyring } = services.deps;
  const baseUrlOf = createBaseUrlOf(baseUrlOptions(config));
  const replyMemory = createReplyMemory(config.http.max_held_reply_bytes, MAX_HELD_BYTES, {
    onEnded: () => metrics.countRefusal('answerTakenTooSlowly'),
  });
  metrics.watchReplyMemory(replyMemory);
  return new Map(
    networks.map(({ rpcPath, label, openLedger, hub, readYourWrites }) => {
      const admission = createAdmission({ ...limits, network: label });
      const ledger = openLedger(limits);
      const edge = { authenticate, replyMemory, baseUrlOf, ...rpcLimits(config) };
      const shared = { ...edge, ledger, admission, network: label };
      const socket = createSocketEndpoint({
        ...shared,
        ...socketLimits(config),
        clientAddress,
        tracing,
        leave: hub.leave,
        noteSeen: readYourWrites?.noteNotification,
        openTally: (keyId) => openTally(keyId, label),
        refusalOf: createKeyCheck({ keyring, clock: systemClock, namesOf: hub.namesOf }),
        sockets: sockets.live,
        metrics: sockets.metrics,
      });
      return [rpcPath, { http: withRequestSpan(createRpcEndpoint(shared), label, tracing), socket }];
    }),
  );
}

function documented({ rpcPath, config: { name, environment } }: Network): DocumentedNetwork {
  return { rpcPath, label: `${name}, ${environment}` };
}

function baseUrlOptions(config: Config): BaseUrlOptions {
  return { trustsPeer: trustsPeerOf(config), publicUrl: config.http.public_url };
}

function rpcLimits({ http }: Config) {
  return {
    limits: { maxBatchCalls: http.max_batch_items, batchConcurrency: http.batch_concurrency },
    maxBodyBytes: http.max_body_bytes,
  };
}

function socketLimits({ websocket }: Config) {
  return {
    maxCalls: websocket.max_calls,
    maxSubscriptions: websocket.max_subscriptions,
    maxWaitingBytes: websocket.max_waiting_bytes,
    idleTimeoutMs: websocket.idle_timeout_ms,
  };
}
