import type { Logger } from 'pino';
import type { Config } from '../generated/config.ts';
import { systemClock } from './clock.ts';
import type { CommandPlaces } from './admin/serve-commands.ts';
import { createAdmission } from './gate/admission.ts';
import { createKeyCheck } from './gate/key-standing.ts';
import type { Metrics } from './gate/metrics.ts';
import { createSocketMetrics } from './gate/socket-metrics.ts';
import { withMetering } from './gate/with-metering.ts';
import { type DocumentedNetwork, openapiDocument } from './ledger/openapi-document.ts';
import { createReplyMemory } from './ledger/reply-memory.ts';
import { readReadiness } from './readiness.ts';
import { createDocs } from './server/docs/docs-routes.ts';
import {
  type HttpHandler,
  type HttpHandlers,
  type HttpServer,
  type HttpServerOptions,
  type ListenOptions,
  startHttpServer,
} from './server/http/http-server.ts';
import { createOperations } from './server/http/operations.ts';
import { createRouter, type RpcHandler } from './server/http/router.ts';
import { createRpcEndpoint } from './server/json-rpc/rpc-endpoint.ts';
import { LiveSockets } from './server/websocket/live-sockets.ts';
import { refuseHttp } from './server/websocket/refuse-http.ts';
import { createSocketEndpoint, type SocketEndpoint } from './server/websocket/socket-endpoint.ts';
import { createUpgrades } from './server/websocket/upgrades.ts';
import type { Keys } from './start-keys.ts';
import type { Network } from './start-network.ts';
import type { Gate } from './start-gate.ts';
import { listenOptions, serverOptions, socketListenOptions, urlOf } from './listen-options.ts';

export type ServedParts = {
  readonly networks: readonly Network[];
  readonly rooms: {
    readonly places: CommandPlaces;
    readonly keys: Keys;
    readonly gate: Gate;
  };
  /** The wallet API. */
  readonly wallets: HttpHandler;
  readonly config: Config;
  readonly metrics: Metrics;
  readonly log: Logger;
};

/** What serves clients. */
export type ClientServer = {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** WebSocket on the same port: `ws://` or `wss://`. */
  readonly wsUrl: string;
  readonly close: (deadlineMs: number) => Promise<void>;
};

type Endpoint = { readonly http: RpcHandler; readonly socket: SocketEndpoint };

/** The most that one batch, or one reply whose id must be put back, holds in memory. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;

/**
 * Listens, and answers every path that is served: HTTP and WebSocket on one port, WebSocket alone on the second one.
 *
 * @throws ServiceError `portTaken`, `listenFailed`.
 */
export async function startServer(parts: ServedParts): Promise<ClientServer> {
  const { config, metrics, log } = parts;
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
    ...(await serverOptions(config)),
    onUpgrade,
    drainSockets: (deadlineMs: number) => sockets.live.drain(deadlineMs),
  };
  const server = await startHttpServer(createHandler(parts, endpoints), {
    ...listenOptions(config),
    ...options,
  });
  const second = await startSecond(config, server, options);
  const close = async (deadlineMs: number): Promise<void> => {
    await Promise.all([server.close(deadlineMs), second?.close(deadlineMs)]);
  };
  const [baseUrl, wsUrl] = [urlOf(server, config), urlOf(server, config, 'ws')];
  return { host: server.host, port: server.port, baseUrl, wsUrl, close };
}

type SocketServerOptions = Omit<HttpServerOptions, keyof ListenOptions>;

/** The second port, where clients look that are told of the first one only. */
async function startSecond(
  config: Config,
  server: HttpServer,
  options: SocketServerOptions,
): Promise<HttpServer | undefined> {
  const second = socketListenOptions(config);
  if (second === undefined) return undefined;
  try {
    return await startHttpServer(refuseHttp, { ...second, ...options });
  } catch (error) {
    await server.close(0);
    throw error;
  }
}

function openSockets({ config: { websocket }, metrics }: ServedParts) {
  const socketMetrics = createSocketMetrics(metrics.registry);
  const limits = {
    maxSockets: websocket.max_sockets,
    maxSocketsPerKey: websocket.max_sockets_per_key,
    maxSubscriptionsPerKey: websocket.max_subscriptions_per_key,
  };
  return { live: new LiveSockets(limits, socketMetrics), metrics: socketMetrics };
}

function createHandler(parts: ServedParts, endpoints: ReadonlyMap<string, Endpoint>): HttpHandlers {
  const { networks, rooms, wallets, config, metrics, log } = parts;
  const watched = { networks, store: rooms.places.store, signer: rooms.keys.watched };
  const operations = createOperations({
    registry: metrics.registry,
    readReadiness: () => readReadiness(watched),
  });
  const docs = createDocs({ readLedgerDocument: () => openapiDocument(networks.map(documented)) });
  return createRouter({
    routes: new Map([...operations, ...docs]),
    rpc: new Map([...endpoints].map(([path, { http }]) => [path, http])),
    wallets,
    corsOrigins: config.http.cors_origins,
    onRefusal: metrics.countRefusal,
    log,
  });
}

/** What answers JSON-RPC, by the path of each network. */
function createEndpoints(
  { networks, rooms, config, metrics }: ServedParts,
  sockets: ReturnType<typeof openSockets>,
): ReadonlyMap<string, Endpoint> {
  const { authenticate, ...limits } = rooms.gate;
  const { keyring } = rooms.places;
  const replyMemory = createReplyMemory(config.http.max_held_reply_bytes, MAX_HELD_BYTES);
  metrics.watchReplyMemory(replyMemory);
  return new Map(
    networks.map(({ rpcPath, label, ledger: bare, hub }) => {
      const metering = { network: label, count: limits.count };
      const admission = createAdmission({ ...limits, network: label });
      const ledger = withMetering(bare, metering);
      const shared = { ledger, authenticate, admission, replyMemory, ...rpcLimits(config) };
      const socket = createSocketEndpoint({
        ...shared,
        ...socketLimits(config),
        leave: hub.leave,
        refusalOf: createKeyCheck(keyring, systemClock),
        sockets: sockets.live,
        metrics: sockets.metrics,
      });
      return [rpcPath, { http: createRpcEndpoint(shared), socket }];
    }),
  );
}

function documented({ rpcPath, config: { name, environment } }: Network): DocumentedNetwork {
  return { rpcPath, label: `${name}, ${environment}` };
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
