import { type Logger, pino } from 'pino';
import type { Keyring } from '../../src/account/identity/api-keys/keyring.ts';
import { createAdmission } from '../../src/server/access/admission.ts';
import { createKeyLimits } from '../../src/server/access/key-limits.ts';
import { createKeyCheck } from '../../src/server/access/key-standing.ts';
import { withAllowedMethods } from '../../src/server/access/with-allowed-methods.ts';
import { createAuthenticate, type KeyFinder } from '../../src/server/access/authenticate.ts';
import { createClientAddress, createTrustsPeer } from '../../src/server/access/client-address.ts';
import { createDriftMetrics } from '../../src/gateway/ledger/drift/drift-metrics.ts';
import { createFailureLog } from '../../src/server/access/failure-log.ts';
import { createLimitMetrics } from '../../src/server/access/limit-metrics.ts';
import { createMetrics, type Metrics } from '../../src/server/access/metrics.ts';
import type { RequestLog } from '../../src/server/access/request-log.ts';
import { createNodeMetrics } from '../../src/gateway/nodes/network/node-metrics.ts';
import { type PlanLimit, createMemoryRateLimit } from '../../src/server/access/rate-limit.ts';
import { SOCKET_BOUNDS, type SocketBounds } from './socket-bounds.ts';
import { MessageTallies } from '../../src/server/access/message-tallies.ts';
import type { CountCall, CountPushed } from '../../src/server/access/usage-book.ts';
import { withMetering } from '../../src/server/access/meter.ts';
import { withObservation } from '../../src/server/access/with-observation.ts';
import { createAnswerCache } from '../../src/gateway/ledger/cache/answer-cache.ts';
import { withCache } from '../../src/gateway/ledger/cache/with-cache.ts';
import { createDriftGuard } from '../../src/gateway/ledger/drift/drift-guard.ts';
import type { NetworkDrift } from '../../src/gateway/ledger/drift/network-drift.ts';
import { createLedger } from '../../src/gateway/ledger/ledger.ts';
import type { DocumentedNetwork } from '../../src/server/pages/docs/reference.ts';
import { createReplyMemory } from '../../src/core/rpc/reply-memory.ts';
import { Connections, type ConnectionsOptions } from '../../src/server/connections/connections.ts';
import { createPages } from './create-pages.ts';
import { NOT_SERVED } from './not-served.ts';
import { startHttpServer } from '../../src/server/http/http-server.ts';
import { createBaseUrlOf } from '../../src/server/http/base-url.ts';
import { createStatusRoutes, type OperationsOptions } from '../../src/server/http/status-routes.ts';
import { createRouter } from '../../src/server/http/router.ts';
import { createRpcEndpoint } from '../../src/server/json-rpc/rpc-endpoint.ts';
import type { TlsOptions } from '../../src/server/tls/tls-files.ts';
import { LiveSockets, createSocketMetrics } from '../../src/server/websocket/live-sockets.ts';
import { createSocketEndpoint } from '../../src/server/websocket/socket-endpoint.ts';
import type { SessionOptions } from '../../src/server/websocket/socket-session.ts';
import { createUpgrades } from '../../src/server/websocket/upgrades.ts';
import { Hub } from '../../src/gateway/ledger/subscriptions/hub.ts';
import { withSubscriptions } from '../../src/gateway/ledger/subscriptions/with-subscriptions.ts';
import { createSubscriptionMetrics } from '../../src/gateway/ledger/subscriptions/subscription-metrics.ts';
import { textFrame } from '../../src/server/websocket/outbox.ts';
import { connectNode, wrapUpstream } from '../../src/gateway/nodes/open-upstream.ts';
import { pubsubAddresses } from '../../src/core/config/node-address.ts';
import { joinNodes, type LedgerNodes } from '../../src/gateway/nodes/network/ledger-nodes.ts';
import { NodeWatch } from '../../src/gateway/nodes/network/node-watch.ts';
import { Pace } from '../../src/gateway/nodes/network/pace.ts';
import { ownHttp } from '../support/own-http.ts';

export const KEY = 'ks_key_test';
export const RPC_PATH = '/solana-localnet';

/** The length of a slot for the cache. */
export const SLOT_MS = 400;

const WIDE_PLAN: PlanLimit = { name: 'wide', requestsPerSecond: 1_000_000, burst: 10_000_000 };

const WIDE_BOUNDS = { maxConnections: 100_000, maxPerAddress: 100_000 };

export type GatewayOptions = {
  readonly nodeUrls: readonly string[];
  readonly environment?: string;
  /** Most connections to each node. */
  readonly connections?: number;
  readonly responseTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly maxBodyBytes?: number;
  readonly maxBatchCalls?: number;
  readonly batchConcurrency?: number;
  /** The bytes of replies that one request may hold, and all requests together. */
  readonly maxBufferedBytes?: number;
  readonly maxHeldBytes?: number;
  readonly corsOrigins?: readonly string[];
  readonly readReadiness?: OperationsOptions['readReadiness'];
  /** Without it nothing is kept. */
  readonly cacheBytes?: number;
  /** The clock by which the cache measures slots; without it time stands still. */
  readonly nowMs?: () => number;
  readonly log?: Logger;
  readonly keys?: KeyFinder;
  /** Without it no test meets a limit. */
  readonly plan?: PlanLimit;
  /** Told of every message that is counted. */
  readonly count?: CountCall;
  /** Told of the messages that are pushed, each second and when connections are closed. */
  readonly countPushed?: CountPushed;
  readonly isBehindProxy?: boolean;
  readonly publicUrl?: string;
  readonly trustedProxies?: readonly string[];
  readonly tls?: TlsOptions;
  /** Bounds of connections, where a test meets them. */
  readonly bounds?: Partial<ConnectionsOptions>;
  /** The length of a slot; without it, it is unknown at first. */
  readonly slotMs?: number;
  /** The longest time in which the WebSocket of a node may announce no slot. */
  readonly silenceMs?: number;
  /** The time of a node for a call where there is another node. */
  readonly patienceMs?: number;
  readonly onPubsubFailure?: (error: unknown) => void;
  /** Bounds of WebSockets, where a test meets them. */
  readonly sockets?: Partial<SocketBounds>;
  /** The refusal of an admitted key that is not valid any more. */
  readonly refusalOf?: SessionOptions['refusalOf'];
  /** The keys, with their rules; without it, those of `keys` or two fixed ones. */
  readonly keyring?: Keyring;
  /** Without it nothing of what nodes answer is held against the specification. */
  readonly driftSamplesPerMinute?: number;
  /** True if the nodes are asked for their versions from the start; they are anyway when their WebSocket is up. */
  readonly asksVersions?: boolean;
  /** Default: no request is logged. */
  readonly requests?: RequestLog;
  /** The version of the nodes for the drift guard, where it is not their own answer. */
  readonly nodeVersion?: () => string | undefined;
  /** The networks that the reference page names; served is the first of them. */
  readonly documented?: readonly DocumentedNetwork[];
};

export type Gateway = {
  readonly baseUrl: string;
  /** The JSON-RPC address with a valid key. */
  readonly rpcUrl: string;
  /** The same over WebSocket. */
  readonly wsUrl: string;
  readonly metrics: Metrics;
  readonly drift: NetworkDrift;
  readonly nodes: LedgerNodes;
  readonly close: (deadlineMs?: number) => Promise<void>;
};

const KEYS: KeyFinder = {
  find: (presented) => {
    if (presented === KEY) return { kind: 'valid', keyId: 'k1', accountId: 'a1' };
    const ended = { keyId: 'k1', accountId: 'a1' };
    if (presented === 'ks_key_old') return { kind: 'revoked', ...ended };
    return presented === 'ks_key_rotated' ? { kind: 'expired', ...ended } : { kind: 'unknown' };
  },
};

/** The gateway in this process, on a free port, before nodes of the test's own; without store and children. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { responseTimeoutMs = 2_000, bodyTimeoutMs = 2_000, maxBufferedBytes = 1024 * 1024 } = options;
  const metrics = createMetrics();
  const log = options.log ?? pino({ level: 'silent' });
  const node = { connections: options.connections ?? 8, connectTimeoutMs: 500, bodyTimeoutMs, ...ownHttp };
  const onRetry = (): void => metrics.countRetry('solana-localnet');
  const wrap = { responseTimeoutMs, onRetry };
  const driftGuard = createDriftGuard({
    samplesPerMinute: options.driftSamplesPerMinute ?? 0,
    metrics: createDriftMetrics(metrics.registry),
    log,
    nowMs: Date.now,
  });
  const drift = driftGuard.watchNetwork('solana-localnet');
  const each = options.nodeUrls.map((url, index) => {
    const watch = new NodeWatch({ name: `node-${index + 1}`, upstream: connectNode(url, node) });
    const reached = { addresses: pubsubAddresses({ url }), upstream: watch.upstream, known: watch };
    const version = options.nodeVersion ?? (() => watch.version);
    const noteGenesis = (hash: string): void => nodes.noteGenesis(watch, hash);
    const told = { watch, noteGenesis, isForeign: () => nodes.isForeign(watch) };
    return { ...told, ...drift.watchNode(reached, { nodeName: watch.name, version }) };
  });
  const nodes: LedgerNodes = joinNodes(each);
  if (options.asksVersions === true) nodes.start();
  const upstream = wrapUpstream(nodes.upstream, wrap);
  const pace = new Pace(() => performance.now(), options.slotMs);
  const nodeMetrics = createNodeMetrics(metrics.registry);
  nodeMetrics.watch('solana-localnet', { statuses: nodes.statuses, consensus: nodes.consensus, pace });
  const onUnordered = (method: string, member: string): void =>
    nodeMetrics.countUnordered('solana-localnet', method, member);
  const hub = new Hub({
    connectTimeoutMs: 500,
    callTimeoutMs: responseTimeoutMs,
    silenceMs: () => options.silenceMs ?? 10_000,
    patienceMs: () => options.patienceMs ?? 5_000,
    nodes: () => each.map((one) => ({ ...one, upstream: wrapUpstream(one.upstream, wrap) })),
    pace,
    onUnordered,
    genesis: nodes.genesis,
    frame: textFrame,
    metrics: createSubscriptionMetrics(metrics.registry)('solana-localnet'),
    onFailure: options.onPubsubFailure ?? (() => undefined),
  });
  const environment = options.environment ?? 'localnet';
  const nodeLedger = createLedger({
    upstream,
    environment,
    nodes,
    onUnordered,
    onUnknownMethod: drift.noteUnknownMethod,
  });
  const ledger =
    options.cacheBytes === undefined
      ? nodeLedger
      : withCache(nodeLedger, {
          answers: createAnswerCache(options.cacheBytes),
          network: 'solana-localnet',
          generation: () => 0,
          slotMs: () => SLOT_MS,
          nowMs: options.nowMs ?? (() => 0),
          onOutcome: (method, outcome) => metrics.countCache('solana-localnet', method, outcome),
        });
  const replyMemory = createReplyMemory(options.maxHeldBytes ?? 16 * maxBufferedBytes, maxBufferedBytes);
  metrics.watchReplyMemory(replyMemory);
  const metering = { network: 'solana-localnet', count: options.count ?? (() => undefined) };
  const observed = withObservation(withSubscriptions(ledger, hub), {
    metrics,
    logFailure: createFailureLog(log, { nowMs: () => 0 }),
    network: 'solana-localnet',
    requests: options.requests,
  });
  const bounds = { ...SOCKET_BOUNDS, ...options.sockets };
  const maxBodyBytes = options.maxBodyBytes ?? 51_200;
  const { isBehindProxy = false, trustedProxies = [] } = options;
  const trustsPeer = createTrustsPeer({ isBehindProxy, trustedProxies });
  const baseUrlOf = createBaseUrlOf({ trustsPeer, publicUrl: options.publicUrl });
  const { keyring } = options;
  const callRulesOf = keyring?.callRulesOf ?? (() => undefined);
  const rateLimit = createMemoryRateLimit(() => Date.now());
  const clientAddress = createClientAddress(trustsPeer);
  const shared = {
    network: 'solana-localnet',
    ledger: withMetering(withAllowedMethods(observed, callRulesOf), metering),
    admission: createAdmission({
      rateLimit,
      decideOwn: createKeyLimits({ rateLimit, callRulesOf, readUsed: async () => [], log }),
      planOf: () => options.plan ?? WIDE_PLAN,
      countKeys: () => 1,
      fullRateKeys: 10,
      onRefusal: createLimitMetrics(metrics.registry).countRefusal,
      requests: options.requests,
      ...metering,
    }),
    authenticate: createAuthenticate(
      keyring ?? options.keys ?? KEYS,
      { nowMs: () => 0 },
      clientAddress,
      undefined,
      options.requests,
    ),
    limits: { maxBatchCalls: options.maxBatchCalls ?? 100, batchConcurrency: options.batchConcurrency ?? 4 },
    maxBodyBytes,
    replyMemory,
    baseUrlOf,
  };
  const endpoint = createRpcEndpoint(shared);
  const socketMetrics = createSocketMetrics(metrics.registry);
  const sockets = new LiveSockets(bounds, socketMetrics);
  const refusalOf =
    options.refusalOf ??
    (keyring === undefined
      ? () => undefined
      : createKeyCheck({ keyring, clock: { nowMs: () => 0 }, namesOf: hub.namesOf }));
  const tallies = new MessageTallies(options.countPushed ?? (() => undefined));
  const socketEndpoint = createSocketEndpoint({
    ...shared,
    ...bounds,
    refusalOf,
    sockets,
    metrics: socketMetrics,
    clientAddress,
    leave: hub.leave,
    openTally: (keyId) => tallies.open(keyId, 'solana-localnet'),
  });
  const onUpgrade = createUpgrades({
    endpoints: new Map([[RPC_PATH, socketEndpoint]]),
    corsOrigins: options.corsOrigins ?? ['*'],
    maxBodyBytes,
    sockets,
    onRefusal: metrics.countRefusal,
    log,
  });
  const readReadiness = options.readReadiness ?? (async () => ({ isReady: true, parts: {} }));
  const operations = createStatusRoutes({
    metrics: { contentType: metrics.registry.contentType, read: () => metrics.registry.metrics() },
    isBehindProxy,
    readReadiness,
    rpcPaths: [RPC_PATH],
    baseUrlOf,
  });
  const documented = options.documented ?? [{ rpcPath: RPC_PATH, label: 'solana, localnet' }];
  const { routes, pages } = createPages({ documented, rpcPath: RPC_PATH, baseUrlOf });
  const router = createRouter({
    routes: new Map([...operations, ...routes]),
    pages,
    rpc: new Map([[RPC_PATH, endpoint]]),
    rest: NOT_SERVED,
    corsOrigins: options.corsOrigins ?? ['*'],
    onRefusal: metrics.countRefusal,
    log,
  });
  const connections = new Connections({ ...WIDE_BOUNDS, ...options.bounds });
  const server = await startHttpServer(router, {
    host: '127.0.0.1',
    port: 0,
    portSetting: 'KEYSLOT_HTTP_PORT',
    requestTimeoutMs: options.requestTimeoutMs ?? 5_000,
    idleTimeoutMs: 10_000,
    ...ownHttp,
    tls: options.tls,
    connections,
    onUpgrade,
    drainSockets: (deadlineMs) => sockets.drain(deadlineMs),
  });
  const baseUrl = `http://127.0.0.1:${server.port}`;
  return {
    baseUrl,
    rpcUrl: `${baseUrl}${RPC_PATH}?apikey=${KEY}`,
    wsUrl: `ws://127.0.0.1:${server.port}${RPC_PATH}?apikey=${KEY}`,
    metrics,
    drift,
    nodes,
    close: async (deadlineMs = 1_000) => {
      await server.close(deadlineMs);
      tallies.close();
      connections.close();
      await hub.close();
      await nodes.close();
      await driftGuard.close();
    },
  };
}

/** POSTs a body as JSON. */
export function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body });
}

export type Reply = {
  readonly result?: unknown;
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly id: unknown;
};

/** The JSON-RPC reply in a response; `error` is to be read only where one is expected. */
export async function readReply(response: Response): Promise<Reply> {
  return (await response.json()) as Reply;
}
