import type { Readable } from 'node:stream';
import { initServer } from '@ts-rest/fastify';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorEntry } from '../../../generated/errors.ts';
import { walletContract } from '../../../generated/wallets/contract.ts';
import { type OperationEntry, type OperationId, OPERATIONS } from '../../../generated/wallets/operations.ts';
import { authenticateToken, type TokenHolder } from '../../account/tokens/authenticate-token.ts';
import { serviceError } from '../../base/service-error.ts';
import { recordedAddress } from '../../gate/client-address.ts';
import { CLIENT_LEFT } from '../../wallets/client-left.ts';
import type { HttpHandler } from '../http/http-server.ts';
import { countRequest } from './admit.ts';
import { createCrossOrigin } from './cross-origin.ts';
import { fromFrameworkError } from './framework-error.ts';
import { createRequestId, sendProblem, toProblem } from './problem.ts';
import type { RestOptions } from './rest-options.ts';
import { type Exchange, passHeaders, serveOperation } from './serve-operation.ts';
import { confirmDelivery } from './watch-delivery.ts';
import { createInFlightRequests, type InFlightRequests } from './in-flight-requests.ts';

/** A request target that names the server too (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/[^/]*/i;
const MAX_PARAM_LENGTH = 16 * 1024;
/** The operation of each route of the contract. */
const OPERATION_OF: ReadonlyMap<unknown, OperationId> = new Map(
  Object.entries(walletContract).map(([name, route]) => [route, name as OperationId]),
);
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The handler of the wallet API, and a promise that all requested work is done. */
export type RestEndpoint = { readonly handler: HttpHandler } & Pick<InFlightRequests, 'settled'>;

/**
 * The wallet API (interface.md section 4.4): everything below `/v1/wallets`. ts-rest routes by the generated contract; every
 * refusal is a problem (RFC 9457), those of the framework too.
 */
export async function createRestEndpoint(options: RestOptions): Promise<RestEndpoint> {
  const { maxBodyBytes } = options;
  const refuse = createRefuse(options);
  const work = createInFlightRequests();
  const app = fastify({
    ...{ logger: false, bodyLimit: maxBodyBytes, return503OnClosing: false },
    ...{ requestIdHeader: false, genReqId: createRequestId },
    rewriteUrl: ({ url = '' }) => url.replace(ABSOLUTE_FORM, ''),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_: unknown, body: Buffer) => body,
  );
  app.addContentTypeParser('*', async ({ method }: FastifyRequest, payload: Readable) => {
    if (method === 'POST') throw serviceError('contentTypeNotAllowed');
    // The other operations have no body; one that is sent is ignored.
    payload.resume();
  });
  app.setErrorHandler(async (thrown, request, reply) => {
    noteRefusal(options, thrown, request);
    await refuse(thrown, request, reply);
  });
  app.setNotFoundHandler(async ({ url }) => {
    throw serviceError('notFound', { path: url });
  });
  addHooks(app, options);
  await app.register(operationRoutes(options, work));
  for (const path of new Set(operationPaths())) addOtherMethods(app, path, options);
  await app.ready();
  return { handler: async (request, response) => app.routing(request, response), settled: work.settled };
}

/** Runs before every operation: sets the headers of the answer, then checks the caller and the limit. The body is read after it. */
function addHooks(app: FastifyInstance, options: RestOptions): void {
  const crossOrigin = createCrossOrigin(options.corsOrigins);
  app.decorateRequest('holder', null);
  app.decorateRequest('isServed', false);
  app.addHook('onRequest', async (request, reply) => {
    ignoreTypeWithoutBody(request);
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    crossOrigin.setFields(request, reply);
    confirmDelivery(request.raw.socket);
    const operation = operationOf(request);
    if (operation === undefined) return;
    const entry: OperationEntry = OPERATIONS[operation];
    const keep = (holder: TokenHolder): void => request.setDecorator('holder', holder);
    const holder = authenticateToken(options, request.headers.authorization, entry.scopes, keep);
    await countRequest(options, entry, holder.accountId, (fields) => void reply.headers(fields));
  });
  app.addHook('preParsing', async (request, reply) => {
    const { expect } = request.headers;
    if (expect !== undefined && request.raw.httpVersion !== '1.0') reply.raw.writeContinue();
  });
}

/** The framework refuses a type that it cannot read, even of a request without a body; requests with a body are checked later. */
function ignoreTypeWithoutBody({ method, headers }: FastifyRequest): void {
  if (method !== 'POST' && headers['content-type'] !== undefined)
    headers['content-type'] = 'application/octet-stream';
}

function operationRoutes(options: RestOptions, work: InFlightRequests) {
  const server = initServer();
  const routes = Object.keys(walletContract).map((name) => {
    const operation = name as OperationId;
    const serve = ({ request, reply }: Pick<Exchange, 'request' | 'reply'>) => {
      const exchange = { request, reply, include: work.include<void> };
      return work.include(
        serveOperation(options, operation, request.getDecorator<TokenHolder>('holder'), exchange),
      );
    };
    return [operation, serve] as const;
  });
  // The type of each answer is checked where it is made: generated/wallets/handlers.ts.
  const router = Object.fromEntries(routes) as unknown as Parameters<
    typeof server.router<typeof walletContract>
  >[1];
  return server.plugin(server.router(walletContract, router));
}

/** Answers methods that a path does not support; a preflight of a configured origin is answered. */
function addOtherMethods(app: FastifyInstance, url: string, options: RestOptions): void {
  const crossOrigin = createCrossOrigin(options.corsOrigins);
  const taken = METHODS.filter((method) => app.hasRoute({ method, url }));
  const allow = taken.join(', ');
  app.route({
    ...{ method: METHODS.filter((method) => !taken.includes(method)), url },
    handler: async (request, reply) => {
      if (request.method === 'OPTIONS' && crossOrigin.answerPreflight(request, reply, allow)) return reply;
      reply.header('allow', allow);
      throw serviceError('methodNotAllowed');
    },
  });
}

function createRefuse({ maxBodyBytes, onRefusal, log }: RestOptions) {
  return async (thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (thrown === CLIENT_LEFT || hasLeft(request)) return void reply.hijack().raw.destroy();
    const error = fromFrameworkError(thrown, { maxBodyBytes });
    onRefusal(error.code);
    const problem = toProblem(error, request.id);
    if (problem.status === 500 || error.code === 'storeUnavailable')
      log.error({ ...describeFailure(error), requestId: request.id }, 'a wallet request failed');
    reply.hijack();
    if (!reply.raw.headersSent) passHeaders(reply);
    sendProblem(reply.raw, problem);
  };
}

/** Records the refusal of an operation that did not begin. A disconnected client is not a refusal. */
function noteRefusal(options: RestOptions, thrown: unknown, request: FastifyRequest): void {
  const operation = operationOf(request);
  if (operation === undefined || request.getDecorator<boolean>('isServed') || hasLeft(request)) return;
  const { problem } = errorEntry(fromFrameworkError(thrown, options).code);
  if (problem === undefined || problem.status >= 500) return;
  const holder = request.getDecorator<TokenHolder | null>('holder') ?? undefined;
  options.refusals.note({
    ...{ holder, outcome: problem.code, requestId: request.id },
    address: recordedAddress(request.raw, options.trustsPeer),
    action: holder === undefined ? 'access' : OPERATIONS[operation].audit,
  });
}

/** True if the client disconnected before its request was complete. */
function hasLeft({ raw }: FastifyRequest): boolean {
  return raw.destroyed && !raw.complete;
}

/** The store's own message repeats the stored values; only its reason is shown. */
function describeFailure(error: ReturnType<typeof fromFrameworkError>) {
  const isStore = error.code === 'storeUnavailable' || error.code === 'storeRefused';
  return isStore ? { reason: error.message } : { err: error.cause ?? error };
}

function operationOf({ routeOptions }: FastifyRequest): OperationId | undefined {
  return OPERATION_OF.get((routeOptions.config as { readonly tsRestRoute?: unknown }).tsRestRoute);
}

function operationPaths(): readonly string[] {
  return Object.values(walletContract).map(({ path }) => path);
}
