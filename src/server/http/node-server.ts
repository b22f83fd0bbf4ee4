import type { IncomingMessage, ServerResponse } from 'node:http';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import { answerBody } from '../../core/rpc/answer-body.ts';
import type { ServeCall } from '../../core/rpc/call.ts';
import type { ListenOptions } from '../connections/listener.ts';
import { type HttpHandler, type HttpServer, type HttpServerOptions, startHttpServer } from './http-server.ts';
import { sendPreflight } from './preflight.ts';
import { assertJsonBody, readBody } from './read-body.ts';
import { sendBody, sendError } from './respond.ts';
import { pathOf } from './target.ts';

/** A validator's own limit of a request body. */
export const MAX_BODY_BYTES = 51_200;
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 120_000;
export const CALL_LIMITS = { maxBatchCalls: 1_000 } as const;

export type NodeServerOptions = ListenOptions &
  Pick<HttpServerOptions, 'connections' | 'onUpgrade'> & {
    /** Limit of a request body; default: a validator's. */
    readonly maxBodyBytes?: number;
    /** Returns the handler of a path that serves something other than JSON-RPC. */
    readonly handlerOf?: (path: string) => HttpHandler | undefined;
  };

/**
 * Serves JSON-RPC like a validator: on every path, without a key, and `/health`.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function startNodeServer(serve: ServeCall, options: NodeServerOptions): Promise<HttpServer> {
  const { maxBodyBytes = MAX_BODY_BYTES, handlerOf = () => undefined } = options;
  const handle: HttpHandler = (request, response) => {
    const other = handlerOf(pathOf(request.url ?? ''));
    return other?.(request, response) ?? answer({ serve, maxBodyBytes }, request, response);
  };
  return startHttpServer(handle, {
    ...options,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
  });
}

type Service = { readonly serve: ServeCall; readonly maxBodyBytes: number };

async function answer(service: Service, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    response.setHeader('access-control-allow-origin', '*');
    await route(service, request, response);
  } catch (error) {
    sendError(response, toServiceError(error));
  }
}

async function route(
  { serve, maxBodyBytes }: Service,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.url === '/health') return sendBody(response, 200, 'ok', { 'content-type': 'text/plain' });
  if (request.method === 'OPTIONS') return sendPreflight(request, response);
  if (request.method !== 'POST') throw serviceError('methodNotAllowed');
  assertJsonBody(request);
  const body = await readBody(request, response, maxBodyBytes);
  sendBody(response, 200, (await answerBody(body, serve, CALL_LIMITS)) ?? '');
}
