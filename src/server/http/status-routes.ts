import type { IncomingMessage } from 'node:http';
import { openrpcParts } from '../../gateway/ledger/openrpc-document.ts';
import { stringifyJson } from '../../core/rpc/json.ts';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import type { BaseUrlOf } from './base-url.ts';
import type { HttpHandler } from './http-server.ts';
import { sendBody, sendError, sendParts } from './respond.ts';
import { pathOf, queryOf } from './target.ts';
import { isLoopback } from '../../core/loopback.ts';

/** The readiness of the server and the state of each of its parts. Holds no address and no secret. */
export type Readiness = {
  /** True if every part is ready that is not excluded. */
  readonly isReady: boolean;
  /** True if some of its ledger nodes are not used, and it is ready by the others, or if an excluded part is not ready. */
  readonly isDegraded?: boolean;
  /** True while the server stops: it still serves for a while, but should get no new requests. */
  readonly isStopping?: boolean;
  readonly parts: Readonly<Record<string, unknown>>;
};

/** Metrics in Prometheus text format. */
export type ReadableMetrics = { readonly contentType: string; readonly read: () => Promise<string> };

export type OperationsOptions = {
  /** Absent: `/metrics` has its own listener, and is not served here. */
  readonly metrics?: ReadableMetrics | undefined;
  /** True: requests come through a proxy, which may look like a program on this machine. Metrics have their own listener, or none. */
  readonly isBehindProxy: boolean;
  readonly readReadiness: (excluded: ExcludedParts) => Promise<Readiness>;
  /** The JSON-RPC path of each network, for the document that describes them. */
  readonly rpcPaths: readonly string[];
  readonly baseUrlOf: BaseUrlOf;
};

/**
 * Creates the handlers of the operator's paths: `/healthz` (the process answers), `/readyz` (200 or 503 by the state of its
 * parts, without those that the caller excludes), `/metrics` (Prometheus text, to loopback only; unless it has its own listener) and `/openrpc.json`, which names the
 * address that was requested.
 */
export function createStatusRoutes({
  metrics,
  isBehindProxy,
  readReadiness,
  rpcPaths,
  baseUrlOf,
}: OperationsOptions): ReadonlyMap<string, HttpHandler> {
  return new Map<string, HttpHandler>([
    ['/healthz', readOnlyHandler(async () => ({ status: 200, body: '{"status":"ok"}\n' }))],
    [
      '/readyz',
      readOnlyHandler(async (request) => {
        const { parts, ...readiness } = await readReadiness(readExcludedParts(request.url ?? ''));
        const status = statusOf(readiness);
        const isServing = status === 'ready' || status === 'degraded';
        return { status: isServing ? 200 : 503, body: `${stringifyJson({ status, ...parts })}\n` };
      }),
    ],
    ...(metrics === undefined ? [] : [[METRICS_PATH, localMetrics(metrics, isBehindProxy)] as const]),
    [
      '/openrpc.json',
      readOnlyHandler(async (request) => {
        const baseUrl = baseUrlOf(request);
        return { parts: [...openrpcParts(rpcPaths.map((path) => baseUrl + path)), LINE_END] };
      }),
    ],
  ]);
}

function statusOf({ isReady, isDegraded = false, isStopping = false }: Omit<Readiness, 'parts'>): string {
  if (isStopping) return 'stopping';
  if (!isReady) return 'notReady';
  return isDegraded ? 'degraded' : 'ready';
}

function localMetrics(metrics: ReadableMetrics, isBehindProxy: boolean): HttpHandler {
  return readOnlyHandler(async (request) => {
    if (isBehindProxy || !isLocalRequest(request)) throw serviceError('metricsLoopbackOnly');
    return await readMetrics(metrics);
  });
}

/** Creates the handler of the metrics' own listener: serves `/metrics` to anyone who can reach it, and nothing else. */
export function createMetricsHandler(metrics: ReadableMetrics): HttpHandler {
  const serve = readOnlyHandler(() => readMetrics(metrics));
  return async (request, response) => {
    try {
      if (pathOf(request.url ?? '') !== METRICS_PATH) throw serviceError('notFound', { path: METRICS_PATH });
      await serve(request, response);
    } catch (thrown) {
      sendError(response, toServiceError(thrown));
    }
  };
}

const METRICS_PATH = '/metrics';

async function readMetrics({ read, contentType }: ReadableMetrics): Promise<Reading> {
  return { status: 200, body: await read(), type: contentType };
}

type Reading =
  | { readonly status: number; readonly body: string; readonly type?: string }
  | { readonly parts: readonly Buffer[] };

const LINE_END = Buffer.from('\n');

/** Creates a handler for GET and HEAD. Throws ServiceError `readOnlyPath` for other methods. */
function readOnlyHandler(read: (request: IncomingMessage) => Promise<Reading>): HttpHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
    const reading = await read(request);
    if ('parts' in reading) return sendParts(response, reading.parts);
    const { status, body, type } = reading;
    sendBody(response, status, body, type === undefined ? {} : { 'content-type': type });
  };
}

/** Names of the headers that proxies add. */
const PROXY_HEADER = /^(?:forwarded|via|x-real-ip|x-forwarded-.+|cf-connecting-ip|true-client-ip)$/;
/** A name or an address of this machine. A page of another site that resolves to this machine has another name. */
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/**
 * True if a request comes from a program on this machine: from no proxy on it, and from no web page of another site. A proxy that names
 * nobody is known by its HTTP/1.0, which nginx speaks unless it is told otherwise.
 */
export function isLocalRequest({
  headers,
  socket,
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'socket' | 'httpVersion'>): boolean {
  const address = socket.remoteAddress;
  return (
    address !== undefined &&
    httpVersion !== '1.0' &&
    isLoopback(address) &&
    LOCAL_HOST.test(headers.host ?? 'localhost') &&
    headers.origin === undefined &&
    !Object.keys(headers).some((name) => PROXY_HEADER.test(name)) &&
    headers['sec-fetch-site'] !== 'cross-site'
  );
}

/** The parts that decide if a server is ready. */
export const READINESS_PARTS = ['store', 'signer', 'networks'] as const;

export type ReadinessPart = (typeof READINESS_PARTS)[number];

/** The parts that do not count for one request. */
export type ExcludedParts = ReadonlySet<ReadinessPart>;

/**
 * Reads the parameters `exclude` of a request to `/readyz` (spec/README.md); other parameters are ignored.
 *
 * @throws ServiceError `readinessPartUnknown`.
 */
function readExcludedParts(target: string): ExcludedParts {
  return new Set(new URLSearchParams(queryOf(target)).getAll('exclude').map(readPart));
}

function readPart(name: string): ReadinessPart {
  const part = READINESS_PARTS.find((known) => known === name);
  if (part !== undefined) return part;
  throw serviceError('readinessPartUnknown', {
    name,
    known: READINESS_PARTS.join(', '),
  });
}
