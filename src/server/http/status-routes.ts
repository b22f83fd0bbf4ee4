import type { IncomingMessage } from 'node:http';
import type { Registry } from 'prom-client';
import { openrpcDocument } from '../../ledger/openrpc-document.ts';
import { stringifyJson } from '../../rpc/json.ts';
import { serviceError, toServiceError } from '../../base/service-error.ts';
import type { BaseUrlOf } from './base-url.ts';
import type { HttpHandler } from './http-server.ts';
import { isLocalRequest } from './local-request.ts';
import { sendBody, sendError } from './respond.ts';
import { pathOf } from './target.ts';

/** The readiness of the server and the state of each of its parts. Holds no address and no secret. */
export type Readiness = { readonly isReady: boolean; readonly parts: Readonly<Record<string, unknown>> };

export type OperationsOptions = {
  /** Absent: `/metrics` has its own listener, and is not served here. */
  readonly registry?: Registry | undefined;
  readonly readReadiness: () => Promise<Readiness>;
  /** The JSON-RPC path of each network, for the document that describes them. */
  readonly rpcPaths: readonly string[];
  readonly baseUrlOf: BaseUrlOf;
};

/**
 * Creates the handlers of the operator's paths: `/healthz` (the process answers), `/readyz` (200 or 503 by the state of its
 * parts), `/metrics` (Prometheus text, to loopback only; unless it has its own listener) and `/openrpc.json`, which names the
 * address that was requested.
 */
export function createStatusRoutes({
  registry,
  readReadiness,
  rpcPaths,
  baseUrlOf,
}: OperationsOptions): ReadonlyMap<string, HttpHandler> {
  return new Map<string, HttpHandler>([
    ['/healthz', readOnlyHandler(async () => ({ status: 200, body: '{"status":"ok"}\n' }))],
    [
      '/readyz',
      readOnlyHandler(async () => {
        const { isReady, parts } = await readReadiness();
        const body = `${stringifyJson({ status: isReady ? 'ready' : 'notReady', ...parts })}\n`;
        return { status: isReady ? 200 : 503, body };
      }),
    ],
    ...(registry === undefined ? [] : [[METRICS_PATH, localMetrics(registry)] as const]),
    [
      '/openrpc.json',
      readOnlyHandler(async (request) => {
        const baseUrl = baseUrlOf(request);
        return { status: 200, body: `${openrpcDocument(rpcPaths.map((path) => baseUrl + path))}\n` };
      }),
    ],
  ]);
}

function localMetrics(registry: Registry): HttpHandler {
  return readOnlyHandler(async (request) => {
    if (!isLocalRequest(request)) throw serviceError('metricsLoopbackOnly');
    return await readMetrics(registry);
  });
}

/** Creates the handler of the metrics' own listener: serves `/metrics` to anyone who can reach it, and nothing else. */
export function createMetricsHandler(registry: Registry): HttpHandler {
  const serve = readOnlyHandler(() => readMetrics(registry));
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

async function readMetrics(registry: Registry): Promise<Reading> {
  return { status: 200, body: await registry.metrics(), type: registry.contentType };
}

type Reading = { readonly status: number; readonly body: string; readonly type?: string };

/** Creates a handler for GET and HEAD. Throws ServiceError `readOnlyPath` for other methods. */
function readOnlyHandler(read: (request: IncomingMessage) => Promise<Reading>): HttpHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
    const { status, body, type } = await read(request);
    sendBody(response, status, body, type === undefined ? {} : { 'content-type': type });
  };
}
