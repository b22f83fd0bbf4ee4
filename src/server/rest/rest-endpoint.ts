import type { RestOptions } from './rest-options.ts';
import { initServer } from '@ts-rest/fastify';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { errorEntry } from '../../../generated/errors.ts';
import { serviceError } from '../../base/service-error.ts';
import { CLIENT_LEFT } from '../../wallets/client-left.ts';
import { turnToParse } from '../../rpc/turns.ts';
import { markBroken } from '../http/broken-answers.ts';
import type { HttpHandler } from '../http/http-server.ts';
import { assertNotEncoded } from '../http/read-body.ts';
import { countRequest } from './admit.ts';
import { authenticate } from './authenticate.ts';
import type { NamedCaller, RestCaller } from './rest-caller.ts';
import { createCrossOrigin } from './cross-origin.ts';
import { fromFrameworkError } from './framework-error.ts';
import { createRequestId } from '../../base/request-id.ts';
import { sendProblem, toProblem } from './problem.ts';
import { passHeaders } from './pass-headers.ts';
import type { Exchange, RestAnswer, RestService, ServedOperation } from './rest-service.ts';
import { watchAnswer } from './watch-answer.ts';
import { confirmDelivery } from './watch-delivery.ts';
import { createInFlightRequests, type InFlightRequests } from './in-flight-requests.ts';

/** A request target that names the server too (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/[^/]*/i;
const MAX_PARAM_LENGTH = 16 * 1024;
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** The handler of a service, and a promise that all requested work is done. */
export type RestEndpoint = { readonly handler: HttpHandler } & Pick<InFlightRequests, 'settled'>;

/**
 * Serves a REST service. ts-rest routes by its generated contract; every refusal is a problem (RFC 9457), those of the framework
 * too.
 */
export async function createRestEndpoint(service: RestService, options: RestOptions): Promise<RestEndpoint> {
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
  // Operations that are not a POST have no body; one that is sent is ignored.
  app.addContentTypeParser('*', async ({ method }: FastifyRequest) => {
    if (method === 'POST') throw serviceError('contentTypeNotAllowed');
  });
  app.setErrorHandler(async (thrown, request, reply) => {
    noteRefusal(service, options, thrown, request);
    await refuse(thrown, request, reply);
  });
  app.setNotFoundHandler(async ({ url }) => {
    throw serviceError('notFound', { path: url });
  });
  addHooks(app, service, options);
  app.addHook('onRoute', (route) => {
    const operation = operationAt(service, route.config);
    if (operation !== undefined) route.bodyLimit = bodyLimitOf(operation, service, options);
  });
  await app.register(operationRoutes(service, options, work));
  for (const path of new Set(pathsOf(service))) addOtherMethods(app, path, options);
  await app.ready();
  return { handler: async (request, response) => app.routing(request, response), settled: work.settled };
}

/** Runs before every operation: sets the headers of the answer, then checks the caller and the limit. The body is read after it. */
function addHooks(app: FastifyInstance, service: RestService, options: RestOptions): void {
  const crossOrigin = createCrossOrigin(options.corsOrigins);
  app.decorateRequest('holder', null);
  app.decorateRequest('caller', null);
  app.decorateRequest('isServed', false);
  app.decorateRequest('checkedAtMs', 0);
  app.addHook('onRequest', async (request, reply) => {
    ignoreTypeWithoutBody(request);
    reply.header('x-request-id', request.id).header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    crossOrigin.setFields(request, reply);
    confirmDelivery(request.raw.socket);
    const operation = operationOf(service, request);
    if (operation === undefined) return;
    const caller = await authenticate(options, operation, request, {
      keep: (holder) => request.setDecorator('holder', holder),
      search: (find) => inTurn(service, clientOf(options, request), find),
    });
    request.setDecorator('caller', caller);
    request.setDecorator('checkedAtMs', options.clock.nowMs());
    if (caller.kind === 'token') options.noteUse?.(caller.tokenId, request.raw);
    watchAnswerTo(caller, reply, options);
    const [limit, counted] = [service.limitOf(operation.name), countedAs(caller)];
    if (limit !== undefined && counted !== undefined)
      await countRequest(limit, counted, (fields) => void reply.headers(fields));
  });
  app.addHook('preParsing', async (request, reply) => {
    if (request.method === 'POST' && operationOf(service, request) !== undefined)
      assertNotEncoded(request.headers);
    const { expect } = request.headers;
    if (expect !== undefined && request.raw.httpVersion !== '1.0') reply.raw.writeContinue();
  });
}

/** A request whose body, or whose turn, took longer to come is authenticated again: its sender may have lost the right meanwhile. */
const RECHECK_MS = 100;

/** Authenticates again where it was long ago. */
async function recheck(service: RestService, options: RestOptions, request: FastifyRequest): Promise<void> {
  const checkedAtMs = request.getDecorator<number>('checkedAtMs');
  if (options.clock.nowMs() - checkedAtMs < RECHECK_MS) return;
  const operation = operationOf(service, request);
  if (operation !== undefined)
    request.setDecorator('caller', await authenticate(options, operation, request));
}

/** Runs a task of a caller when it is his turn, where the service bounds how many he may have in progress. */
function inTurn<T>({ concurrency }: RestService, caller: string, task: () => Promise<T>): Promise<T> {
  return concurrency === undefined ? task() : concurrency.run(caller, task);
}

function watchAnswerTo(caller: RestCaller, { raw }: FastifyReply, { countAnswer }: RestOptions): void {
  if (countAnswer === undefined || caller.kind === 'anyone') return;
  const { accountId } = caller;
  watchAnswer(raw, (isFailed) => countAnswer(accountId, isFailed));
}

/** Members count for themselves, so that none of them, and no token, can keep an owner from acting. */
function countedAs(caller: RestCaller): string | undefined {
  if (caller.kind === 'anyone') return undefined;
  return caller.kind === 'session' ? caller.session.memberId : caller.accountId;
}

/** Where a request comes from that no account or member is known of. */
function clientOf(options: RestOptions, request: FastifyRequest): string {
  return options.clientAddress(request.raw) ?? 'an unknown address';
}

/** The framework refuses a type that it cannot read, even of a request without a body; requests with a body are checked later. */
function ignoreTypeWithoutBody({ method, headers }: FastifyRequest): void {
  if (method !== 'POST' && headers['content-type'] !== undefined)
    headers['content-type'] = 'application/octet-stream';
}

function operationRoutes(service: RestService, options: RestOptions, work: InFlightRequests) {
  const server = initServer();
  const routes = Object.keys(service.contract).map((operation) => {
    const serve = ({ request, reply }: Pick<Exchange, 'request' | 'reply'>) => {
      const exchange = { request, reply, include: work.include<void> };
      const caller = (): RestCaller => request.getDecorator<RestCaller>('caller');
      const countedFor = countedAs(caller()) ?? clientOf(options, request);
      const run = async () => {
        if (reply.raw.closed) throw CLIENT_LEFT;
        if (Buffer.isBuffer(request.body)) await turnToParse(request.body);
        await recheck(service, options, request);
        return service.serve(operation, caller(), exchange);
      };
      const inSpan = () =>
        withOperationSpan(options, operation, request, () => inTurn(service, countedFor, run));
      return work.include(inSpan());
    };
    return [operation, serve] as const;
  });
  // The type of each answer is checked where it is made: generated/wallets/handlers.ts.
  const router = Object.fromEntries(routes) as unknown as Parameters<
    typeof server.router<RestService['contract']>
  >[1];
  return server.plugin(server.router(service.contract, router));
}

/** Puts an operation in a span. Its answer may still be on its way when it ends. */
function withOperationSpan(
  { tracing }: RestOptions,
  operation: string,
  { headers: { traceparent } }: FastifyRequest,
  run: () => Promise<RestAnswer>,
): Promise<RestAnswer> {
  if (tracing === undefined) return run();
  const start = { name: 'rest operation', attributes: { 'keyslot.operation': operation } } as const;
  return tracing.request({ ...start, traceparent }, async (span) => {
    const answer = await run();
    span.set({ 'http.response.status_code': answer.status });
    return answer;
  });
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

/** What anybody may call takes a few texts. */
const OPEN_BODY_BYTES = 16 * 1024;

function bodyLimitOf({ auth }: ServedOperation, service: RestService, { maxBodyBytes }: RestOptions): number {
  return Math.min(auth.length === 0 ? OPEN_BODY_BYTES : service.maxBodyBytes, maxBodyBytes);
}

function createRefuse({ maxBodyBytes, onRefusal, log }: RestOptions) {
  return async (thrown: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (thrown === CLIENT_LEFT || hasLeft(request)) return void reply.hijack().raw.destroy();
    const error = fromFrameworkError(thrown, request.routeOptions.bodyLimit ?? maxBodyBytes);
    onRefusal(error.code);
    const problem = toProblem(error, request.id);
    if (problem.status >= 500) markBroken(reply.raw);
    if (problem.status === 500 || error.code === 'storeUnavailable')
      log.error({ ...describeFailure(error), requestId: request.id }, 'a wallet request failed');
    // The framework wants to close the connection of a body that it has not read: the server discards the rest of it.
    reply.hijack().removeHeader('connection');
    if (!reply.raw.headersSent) passHeaders(reply);
    sendProblem(reply.raw, problem);
  };
}

/** Records the refusal of an operation that did not begin. A disconnected client is not a refusal. */
function noteRefusal(
  service: RestService,
  options: RestOptions,
  thrown: unknown,
  request: FastifyRequest,
): void {
  const operation = operationOf(service, request);
  if (operation === undefined || request.getDecorator<boolean>('isServed') || hasLeft(request)) return;
  const { problem } = errorEntry(fromFrameworkError(thrown, options.maxBodyBytes).code);
  if (problem === undefined || problem.status >= 500) return;
  const holder = request.getDecorator<NamedCaller | null>('holder') ?? undefined;
  options.refusals.note({
    ...{ holder, outcome: problem.code, requestId: request.id, address: options.clientAddress(request.raw) },
    action: holder === undefined && operation.auth.length > 0 ? 'access' : operation.audit,
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

type NamedOperation = ServedOperation & { readonly name: string };

function operationOf(service: RestService, { routeOptions }: FastifyRequest): NamedOperation | undefined {
  return operationAt(service, routeOptions.config);
}

/** The operation of a route, by what ts-rest notes in its configuration. */
function operationAt({ contract, operations }: RestService, config: unknown): NamedOperation | undefined {
  const route = (config as { readonly tsRestRoute?: unknown } | undefined)?.tsRestRoute;
  if (route === undefined) return undefined;
  const found = Object.entries(contract).find(([, each]) => each === route);
  const operation = found && operations[found[0]];
  return found && operation && { ...operation, name: found[0] };
}

function pathsOf({ contract }: RestService): readonly string[] {
  return Object.values(contract).map(({ path }) => String(path));
}
