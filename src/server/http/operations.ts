import type { IncomingMessage } from 'node:http';
import type { Registry } from 'prom-client';
import { openrpcDocument } from '../../ledger/openrpc-document.ts';
import { stringifyJson } from '../../json.ts';
import { serviceError } from '../../service-error.ts';
import type { HttpHandler } from './http-server.ts';
import { isLocalRequest } from './local-request.ts';
import { sendBody } from './respond.ts';

/** Whether the server can serve, and the state of each of its parts. Holds no address and no secret. */
export type Readiness = { readonly isReady: boolean; readonly parts: Readonly<Record<string, unknown>> };

export type OperationsOptions = {
  readonly registry: Registry;
  readonly readReadiness: () => Promise<Readiness>;
};

/**
 * The paths for operators: `/healthz` (the process answers), `/readyz` (200 or 503 by the state of its parts),
 * `/metrics` (Prometheus text, to loopback only) and `/openrpc.json`.
 */
export function createOperations({
  registry,
  readReadiness,
}: OperationsOptions): ReadonlyMap<string, HttpHandler> {
  return new Map<string, HttpHandler>([
    ['/healthz', reading(async () => ({ status: 200, body: '{"status":"ok"}\n' }))],
    [
      '/readyz',
      reading(async () => {
        const { isReady, parts } = await readReadiness();
        const body = `${stringifyJson({ status: isReady ? 'ready' : 'notReady', ...parts })}\n`;
        return { status: isReady ? 200 : 503, body };
      }),
    ],
    [
      '/metrics',
      reading(async (request) => {
        if (!isLocalRequest(request)) throw serviceError('metricsLoopbackOnly');
        return { status: 200, body: await registry.metrics(), type: registry.contentType };
      }),
    ],
    ['/openrpc.json', reading(async () => ({ status: 200, body: `${openrpcDocument()}\n` }))],
  ]);
}

type Reading = { readonly status: number; readonly body: string; readonly type?: string };

/** A handler for GET and HEAD. Throws ServiceError `readOnlyPath` for other methods. */
function reading(read: (request: IncomingMessage) => Promise<Reading>): HttpHandler {
  return async (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw serviceError('readOnlyPath');
    const { status, body, type } = await read(request);
    sendBody(response, status, body, type === undefined ? {} : { 'content-type': type });
  };
}
