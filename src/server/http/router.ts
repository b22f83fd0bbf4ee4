import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import type { ErrorName } from '../../../generated/errors.ts';
import { serviceError, toServiceError } from '../../service-error.ts';
import type { HttpHandler } from './http-server.ts';
import { createRequestId, sendProblem, toProblem } from '../rest/problem.ts';
import { sendError } from './respond.ts';
import { pathOf, WALLET_API } from './target.ts';

export type RouterOptions = {
  /** What is served at which path, exactly. */
  readonly routes: ReadonlyMap<string, HttpHandler>;
  /** What answers below `/v1/`, where nothing else is served. It answers its own refusals. */
  readonly wallets: HttpHandler;
  /** The JSON-RPC paths, named to a client that asks for another. */
  readonly rpcPaths: readonly string[];
  /** Origins whose pages may read the answers; `*` for any. */
  readonly corsOrigins: readonly string[];
  readonly onRefusal: (error: ErrorName) => void;
  readonly log: Logger;
};

/** Finds the handler by path, and turns what it throws into an answer. The query is nobody's business here. */
export function createRouter(options: RouterOptions): HttpHandler {
  const { routes, wallets, rpcPaths, corsOrigins, onRefusal, log } = options;
  return async (request, response) => {
    const path = pathOf(request.url ?? '');
    const isWalletApi = path.startsWith(WALLET_API);
    if (!isWalletApi) admitOrigin(request, response, corsOrigins);
    try {
      const handler = routes.get(path) ?? (isWalletApi ? wallets : undefined);
      if (handler === undefined) throw serviceError('notFound', { path: rpcPaths.join(', ') });
      await handler(request, response);
    } catch (thrown) {
      if (response.destroyed) return;
      const error = toServiceError(thrown);
      onRefusal(error.code);
      if (error.code === 'internalError') log.error({ err: error.cause, path }, 'a request failed');
      if (response.headersSent) response.destroy();
      else if (isWalletApi) sendProblem(response, toProblem(error, createRequestId()));
      else sendError(response, error);
    }
  };
}

/** Lets the pages of some origins read the answer. Nothing is cross-origin below `/v1/` unless the wallet API's own setting says so. */
function admitOrigin(request: IncomingMessage, response: ServerResponse, origins: readonly string[]): void {
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
