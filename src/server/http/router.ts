import type { Logger } from 'pino';
import type { ErrorName } from '../../../generated/errors.ts';
import { type ServiceError, serviceError, toServiceError } from '../../core/service-error.ts';
import type { HttpHandler, HttpHandlers } from './http-server.ts';
import { createRequestId } from '../../core/request-id.ts';
import { sendProblem, toProblem } from './problem.ts';
import { type HttpRequest, type HttpResponse, sendError } from './respond.ts';
import { pathOf, type RestServiceName, restServiceOf, rpcPathOf } from './target.ts';

/** Answers JSON-RPC requests of either reader. It may reject. */
export type RpcHandler = (request: HttpRequest, response: HttpResponse) => Promise<void>;

export type RouterOptions = {
  /** The handlers by exact path. */
  readonly routes: ReadonlyMap<string, HttpHandler>;
  /** JSON-RPC by path; the answer to an unknown path lists these. */
  readonly rpc: ReadonlyMap<string, RpcHandler>;
  /** Each serves its path and everything below it, for pages of this server alone. */
  readonly pages: ReadonlyMap<string, HttpHandler>;
  /** Each serves everything else below its prefix, and answers its own refusals. */
  readonly rest: Readonly<Record<RestServiceName, HttpHandler>>;
  /** Origins whose pages may read the answers; `*` for any. */
  readonly corsOrigins: readonly string[];
  readonly onRefusal: (error: ErrorName) => void;
  readonly log: Logger;
};

/** Creates a router that finds the handler by path, and answers errors that it throws. The query is ignored here. */
export function createRouter(options: RouterOptions): HttpHandlers {
  const { routes, rpc, rest, corsOrigins, pages } = options;
  const rpcPaths = [...rpc.keys()].join(', ');
  return {
    handle: (request, response) => {
      const path = pathOf(request.url ?? '');
      const service = restServiceOf(path);
      const page = service === undefined ? pageAt(pages, path) : undefined;
      const isJsonRpc = service === undefined && page === undefined;
      if (isJsonRpc) admitOrigin(request, response, corsOrigins);
      const other = service === undefined ? (page ?? notFound) : rest[service];
      const handler = routes.get(path) ?? rpc.get(rpcPathOf(path)) ?? other;
      const refuse = (error: ServiceError): void =>
        isJsonRpc ? sendError(response, error) : sendProblem(response, toProblem(error, createRequestId()));
      return answer(options, { path, response, refuse }, () => handler(request, response));
    },
    servesPlain: (target) => rpc.has(rpcPathOf(target)),
    handlePlain: (request, response) => {
      const path = rpcPathOf(request.url);
      admitOrigin(request, response, corsOrigins);
      const handler = rpc.get(path) ?? notFound;
      const refuse = (error: ServiceError): void => sendError(response, error);
      return answer(options, { path, response, refuse }, () => handler(request, response));
    },
  };

  function notFound(): Promise<void> {
    throw serviceError('notFound', { path: rpcPaths });
  }
}

function pageAt(pages: ReadonlyMap<string, HttpHandler>, path: string): HttpHandler | undefined {
  for (const [prefix, handler] of pages) if (path === prefix || path.startsWith(`${prefix}/`)) return handler;
  return undefined;
}

type Routed = {
  readonly path: string;
  readonly response: HttpResponse;
  readonly refuse: (error: ServiceError) => void;
};

async function answer(
  { onRefusal, log }: RouterOptions,
  { path, response, refuse }: Routed,
  handle: () => Promise<void>,
): Promise<void> {
  try {
    await handle();
  } catch (thrown) {
    if (response.destroyed) return;
    const error = toServiceError(thrown);
    onRefusal(error.code);
    if (error.code === 'internalError') log.error({ err: error.cause, path }, 'a request failed');
    if (response.headersSent) response.destroy();
    else refuse(error);
  }
}

/**
 * Lets the pages of the configured origins read the answer. Nothing of the REST services is cross-origin unless the wallet
 * service's own setting allows it.
 */
function admitOrigin(request: HttpRequest, response: HttpResponse, origins: readonly string[]): void {
  const { origin } = request.headers;
  if (origins.includes('*')) {
    response.setHeader('access-control-allow-origin', '*');
    return;
  }
  response.setHeader('vary', 'origin');
  if (origin !== undefined && origins.includes(origin)) {
    response.setHeader('access-control-allow-origin', origin);
  }
}
