import type { ServerResponse } from 'node:http';
import { initServer } from '@ts-rest/fastify';
import type { AppRoute } from '@ts-rest/core';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { errorEntry, type ErrorName } from '../../../generated/errors.ts';
import type {
  JsonAnswer,
  PrintedAnswer,
  RestOperation,
  StreamAnswer,
} from '../../../runtime/rest-operation.ts';
import type { RefusalLog } from '../../account/identity/refusal-log.ts';
import { networkOf } from '../../account/identity/members/sign-in-attempts.ts';
import type { TokenRing } from '../../account/identity/tokens/token-ring.ts';
import type { CallLimitState } from '../../account/plans/count-call.ts';
import { createRequestId } from '../../core/request-id.ts';
import { turnToParse } from '../../core/rpc/semaphore.ts';
import { serviceError, ServiceError } from '../../core/service-error.ts';
import type { Tracing } from '../../core/tracing.ts';
import { CLIENT_LEFT } from '../../wallets/client-left.ts';
import type { ClientAddress } from '../access/client-address.ts';
import type { NoteUse } from '../access/key-uses.ts';
import type { RequestLog } from '../access/request-log.ts';
import type { CountAnswer } from '../access/wallet-request-counts.ts';
import type { HttpHandler } from '../http/http-server.ts';
import { sendProblem, toProblem } from '../http/problem.ts';
import { assertNotEncoded } from '../http/read-body.ts';
import { isBroken, markAdmitted, markBroken } from '../http/request-tracker.ts';
import { JSON_TYPE } from '../http/respond.ts';
import { restArrived } from '../http/unread-bytes.ts';
import { weighBytes } from '../access/weigh.ts';
import {
  authenticateCaller,
  type AuthenticateOptions,
  type NamedCaller,
  type RestCaller,
} from './authenticate-caller.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import { readKey, readRequest, type ReadRequest, type RequestChecks } from './read-request.ts';
import { sendStream } from './send-stream.ts';
import { confirmDelivery } from './watch-delivery.ts';

/** The operations of one document. */
export type RestService = {
  /** Its name in the log of requests. */
  readonly protocol: 'wallets' | 'account';
  /** Their routes, by operation; the metadata of each is its entry. */
  readonly contract: Readonly<Record<string, AppRoute & { readonly metadata: RestOperation }>>;
  readonly checks: RequestChecks;
  /** Returns the limit that requests of an operation count against; undefined if there is no limit. */
  readonly limitOf: (operation: RestOperation) => RateLimited | undefined;
  /** Bounds the requests that a caller has in progress; undefined if there is no bound. */
  readonly concurrency?: ConcurrencyLimit;
  /** The largest body of its operations; those that anyone may call take less. */
  readonly maxBodyBytes: number;
  /** Carries out a request that has passed all layers before. */
  readonly operate: (passed: PassedRequest) => Promise<JsonAnswer<unknown> | PrintedAnswer | StreamAnswer>;
};

/** A limit that a request counts against. */
export type RateLimited = {
  /** Its name in the rate limit fields. */
  readonly policy: string;
  /** The error of a request beyond it. */
  readonly refusal: ErrorName;
  /** Counts the request of an account, or of a member. @throws ServiceError `refusal`, with its figures. */
  readonly admit: (subject: string) => Promise<CallLimitState>;
  /** Charges weight to an account, or a member, whose request was let in. */
  readonly charge: (subject: string, weight: number) => Promise<void>;
};

/** A request that has passed its layers up to the operation. */
export type PassedRequest = {
  /** The name of its operation. */
  readonly name: string;
  readonly operation: RestOperation;
  readonly caller: RestCaller;
  /** The value of Idempotency-Key. */
  readonly idempotencyKey: string | undefined;
  readonly wanted: ReadRequest;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** The operation has begun: from now on it records its refusals itself. */
  readonly begin: () => void;
  /** Adds work that continues after the answer. */
  readonly include: (work: Promise<void>) => Promise<void>;
};

/** Options that the endpoints of all services share. */
export type RestOptions = AuthenticateOptions & {
  readonly tokens: Pick<TokenRing, 'use'>;
  readonly maxBodyBytes: number;
  /** Origins whose pages may call. */
  readonly corsOrigins: readonly string[];
  readonly onRefusal: (error: ErrorName) => void;
  /** Records refusals before an operation begins; an operation records its own. */
  readonly refusals: Pick<RefusalLog, 'note'>;
  readonly clientAddress: ClientAddress;
  /** Called with each token that is accepted. */
  readonly noteUse?: NoteUse;
  /** Called with each request of an account that was answered, or that this server failed to answer. */
  readonly countAnswer?: CountAnswer;
  /** Absent: requests are not logged. */
  readonly requests?: RequestLog | undefined;
  /** Absent: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  readonly log: Pick<Logger, 'error'>;
};

/** The handler of a service, and a promise that all requested work is done. */
export type RestEndpoint = { readonly handler: HttpHandler } & Pick<InFlightRequests, 'settled'>;

/** The parts that the layers of a service share. */
type Endpoint = {
  readonly service: RestService;
  readonly options: RestOptions;
  readonly inFlight: InFlightRequests;
  readonly crossOrigin: CrossOrigin;
  /** The names of the operations. */
  readonly names: ReadonlyMap<RestOperation, string>;
};

/** A request of an operation on its way through the layers. */
type Call = Pick<PassedRequest, 'operation' | 'request' | 'reply'> & {
  /** The holder of its token or session, even if the request is refused. */
  holder: NamedCaller | undefined;
  caller: RestCaller;
  /** The code of the problem that it was refused with. */
  problem: string | undefined;
  /** When the caller was authenticated. */
  checkedAtMs: number;
  /** True once the operation records its refusals itself. */
  hasBegun: boolean;
};

/**
 * Serves a REST service: Fastify finds the operation of a method and a path, and the layers below carry out the request. Every refusal is a
 * problem (RFC 9457), those of the framework too.
 */
export async function createRestEndpoint(service: RestService, options: RestOptions): Promise<RestEndpoint> {
  const inFlight = createInFlightRequests();
  const names = new Map(Object.entries(service.contract).map(([name, { metadata }]) => [metadata, name]));
  const crossOrigin = createCrossOrigin(options.corsOrigins);
  const endpoint = { service, options, inFlight, crossOrigin, names };
  const app = openFastify(endpoint);

  // The layers of a request in order, with the names of the README's picture. What one throws goes to `refuse`.
  app.addHook('onRequest', async (request, reply) => {
    const call = read(endpoint, request, reply);
    if (call === undefined) return;
    await authenticate(endpoint, call);
    await admit(endpoint, call);
  });
  app.addHook('preParsing', async (request, reply) => expectBody(request, reply));
  // Fastify reads the body. The route of the operation does the rest: check, claim and operate.
  await app.register(operationRoutes(endpoint));
  for (const path of new Set(Object.values(service.contract).map((route) => route.path)))
    addOtherMethods(app, path, endpoint);
  await app.ready();
  return { handler: async (request, response) => app.routing(request, response), settled: inFlight.settled };
}

/** Gives an answer the headers that every answer has. Returns the call of the operation that Fastify has found; undefined without one. */
function read(endpoint: Endpoint, request: FastifyRequest, reply: FastifyReply): Call | undefined {
  ignoreTypeWithoutBody(request);
  reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  reply.header('x-content-type-options', 'nosniff');
  endpoint.crossOrigin.setFields(request, reply);
  confirmDelivery(request.raw.socket);
  const operation = operationAt(request.routeOptions);
  if (operation === undefined) return undefined;
  const caller: RestCaller = { kind: 'anyone' };
  const call: Call = {
    operation,
    request,
    reply,
    holder: undefined,
    caller,
    problem: undefined,
    checkedAtMs: 0,
    hasBegun: false,
  };
  request.setDecorator('call', call);
  observe(endpoint, call);
  return call;
}

async function authenticate({ service, options }: Endpoint, call: Call): Promise<void> {
  const { operation, request, reply } = call;
  call.caller = await authenticateCaller(options, operation, request, {
    keep: (holder) => {
      call.holder = holder;
    },
    search: (find) => inTurn(service, clientOf(options, request), find),
  });
  if (call.caller.kind !== 'anyone') markAdmitted(reply.raw);
  call.checkedAtMs = options.clock.nowMs();
  if (call.caller.kind === 'token') options.noteUse?.(call.caller.tokenId, request.raw);
}

/** Notes how the request ends. */
function observe(endpoint: Endpoint, call: Call): void {
  const { countAnswer } = endpoint.options;
  const startMs = performance.now();
  call.reply.raw.once('close', () => {
    const { caller, reply } = call;
    const ending = endingOf(reply.raw);
    if (caller.kind !== 'anyone' && (ending === 'answered' || ending === 'failed'))
      countAnswer?.(caller.accountId, ending === 'failed');
    noteInLog(endpoint, call, performance.now() - startMs);
  });
}

/** Reads of the log of requests, which would show themselves for ever to those who follow it. */
const LOG_READS: ReadonlySet<string> = new Set(['listRequests', 'readRequest']);

/** Notes a request in the log of its account, but for reads by the dashboard, and of the log itself, that succeed. */
function noteInLog({ service, options, names }: Endpoint, call: Call, durationMs: number): void {
  const { holder, operation, request, reply, problem } = call;
  const { requests } = options;
  const { writableFinished, statusCode: status } = reply.raw;
  const callerId = holder?.tokenId ?? holder?.memberId;
  if (requests === undefined || holder === undefined || callerId === undefined) return;
  const method = names.get(operation) ?? operation.audit;
  const isRead = request.method === 'GET' && (holder.tokenId === undefined || LOG_READS.has(method));
  const isOk = writableFinished && status < 400;
  if ((isOk && isRead) || !requests.wants(holder.accountId, !isOk)) return;
  const broken = isBroken(reply.raw) ? 'broken_off' : 'client_left';
  requests.note(
    holder.accountId,
    { id: request.id, protocol: service.protocol },
    {
      method,
      callerKind: holder.tokenId === undefined ? 'member' : 'token',
      callerId,
      status: writableFinished ? status : undefined,
      error: isOk ? undefined : writableFinished ? problem : broken,
      durationUs: Math.round(durationMs * 1_000),
      bytesIn: sizeOf(request.headers['content-length']),
      bytesOut: sizeOf(reply.getHeader('content-length')),
    },
  );
}

/** Returns the number in a Content-Length header; undefined without one. */
function sizeOf(header: number | string | readonly string[] | undefined): number | undefined {
  return header === undefined ? undefined : Number(header);
}

/**
 * Counts the request against the limit of its operation. The answer has the state of the limit, a refusal too
 * (draft-ietf-httpapi-ratelimit-headers-10).
 *
 * @throws ServiceError the refusal of the limit.
 */
async function admit({ service }: Endpoint, { operation, caller, reply }: Call): Promise<void> {
  const limit = service.limitOf(operation);
  const subject = countedAs(caller);
  if (limit === undefined || subject === undefined) return;
  const { policy, refusal } = limit;
  try {
    reply.headers(limitFields(policy, await limit.admit(subject)));
  } catch (error) {
    if (error instanceof ServiceError && error.code === refusal) reply.headers(refusalFields(policy, error));
    throw error;
  }
}

/** Refuses a body unread for the last time. A client that waits for `100 Continue` gets it here. */
function expectBody(request: FastifyRequest, { raw }: FastifyReply): void {
  const { method, headers } = request;
  if (method === 'POST' && callOf(request) !== undefined) assertNotEncoded(headers);
  if (headers.expect !== undefined && request.raw.httpVersion !== '1.0') raw.writeContinue();
}

/** The answer that ts-rest sends. */
type Sent = { readonly status: number; readonly body: unknown };

function operationRoutes(endpoint: Endpoint) {
  const { service, options, inFlight } = endpoint;
  const server = initServer();
  const routes = Object.keys(service.contract).map((name) => {
    const handle = ({ request }: Pick<Call, 'request'>): Promise<Sent> => {
      const call = callOf(request);
      if (call === undefined) throw new Error('a route of the contract has no operation');
      const client = countedAs(call.caller) ?? clientOf(options, request);
      const run = () => inTurn(service, client, () => serve(endpoint, name, call), accountOf(call.caller));
      return inFlight.include(withOperationSpan(options, name, request, run));
    };
    return [name, handle] as const;
  });
  // The contract types the answers of operations (generated/*/handlers.ts); ts-rest is given them printed.
  const router = Object.fromEntries(routes) as unknown as Parameters<
    typeof server.router<RestService['contract']>
  >[1];
  return server.plugin(server.router(service.contract, router));
}

/** Checks a request whose body has arrived, carries it out and answers it. */
async function serve(endpoint: Endpoint, name: string, call: Call): Promise<Sent> {
  const { service, inFlight } = endpoint;
  const { operation, request, reply } = call;
  if (reply.raw.closed) throw CLIENT_LEFT;
  if (Buffer.isBuffer(request.body)) await turnToParse(request.body);
  await authenticateAgain(endpoint, call);
  using _ = call.caller.kind === 'token' ? endpoint.options.tokens.use(call.caller.tokenId) : undefined;
  const idempotencyKey = readKey(operation, request.headers);
  const wanted = readRequest(operation, { operation: name, request, checks: service.checks });
  const answer = await service.operate({
    name,
    operation,
    caller: call.caller,
    idempotencyKey,
    wanted,
    request,
    reply,
    begin: () => {
      call.hasBegun = true;
    },
    include: inFlight.include<void>,
  });
  call.hasBegun = true;
  return await send(answer, operation.status, reply);
}

/**
 * Maximum wait for the body or a permit before a request with a session is authenticated again: the caller may have lost the right
 * meanwhile.
 */
const RECHECK_MS = 100;

/** Authenticates again: always for a token, which is looked up in memory; for a session, which takes a query, only after a long wait. */
async function authenticateAgain({ options }: Endpoint, call: Call): Promise<void> {
  const { operation, request, caller, checkedAtMs } = call;
  if (caller.kind !== 'token' && options.clock.nowMs() - checkedAtMs < RECHECK_MS) return;
  call.caller = await authenticateCaller(options, operation, request);
}

/** Prints an answer for ts-rest. A stream is sent here, past Fastify. Printed bytes are overwritten once they have left. */
async function send(
  answer: Awaited<ReturnType<RestService['operate']>>,
  status: number,
  reply: FastifyReply,
): Promise<Sent> {
  const { raw } = reply;
  if (answer.kind === 'stream') {
    passHeaders(reply);
    await sendStream(raw, status, answer);
    reply.hijack();
    return { status, body: undefined };
  }
  reply.type(JSON_TYPE);
  if (answer.kind === 'json') return { status, body: Buffer.from(JSON.stringify(answer.body)) };
  if (raw.closed) answer.bytes.fill(0);
  else raw.once('close', () => answer.bytes.fill(0));
  return { status, body: answer.bytes };
}

/** Copies the headers that Fastify holds to the response of node:http, for an answer that Fastify does not send. */
function passHeaders(reply: FastifyReply): void {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
}

/** A refused request; without a call if it has no operation. */
type Refused = Pick<Call, 'request' | 'reply'> & { readonly call?: Call | undefined };

async function refuse(
  { service, options }: Endpoint,
  thrown: unknown,
  { request, reply, call }: Refused,
): Promise<void> {
  if (thrown === CLIENT_LEFT || hasLeft(request)) return void reply.hijack().raw.destroy();
  const error = fromFrameworkError(thrown, request.routeOptions.bodyLimit ?? options.maxBodyBytes);
  options.onRefusal(error.code);
  const problem = toProblem(error, request.id);
  if (call !== undefined) {
    call.problem = errorEntry(error.code).problem?.code;
    noteRefusal(options, call, error.code, problem.status);
    await chargeBody(service, call, problem.status);
  }
  if (problem.status >= 500) markBroken(reply.raw);
  if (problem.status === 500 || error.code === 'storeUnavailable')
    options.log.error({ ...describeFailure(error), requestId: request.id }, 'a wallet request failed');
  // The framework wants to close the connection of a body that it has not read: the server discards the rest of it.
  reply.hijack().removeHeader('connection');
  await restArrived(request.raw);
  if (!reply.raw.headersSent) passHeaders(reply);
  sendProblem(reply.raw, problem);
}

/** Charges for the bytes of a body that was read and refused, beyond the call that was counted before. */
async function chargeBody({ limitOf }: RestService, call: Call, status: number): Promise<void> {
  const { operation, caller, request, hasBegun } = call;
  const { body } = request;
  const subject = countedAs(caller);
  const weight = Buffer.isBuffer(body) ? weighBytes(body.length, Number.POSITIVE_INFINITY) - 1 : 0;
  if (hasBegun || subject === undefined || status >= 500 || weight === 0) return;
  await limitOf(operation)?.charge(subject, weight);
}

/** Records the refusal of an operation that did not begin. */
function noteRefusal(options: RestOptions, call: Call, code: ErrorName, status: number): void {
  const { operation, holder, request, hasBegun } = call;
  const { problem } = errorEntry(code);
  if (hasBegun || problem === undefined || status >= 500) return;
  options.refusals.note({
    holder,
    outcome: problem.code,
    requestId: request.id,
    address: options.clientAddress(request.raw),
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

/** Returns the call of a request; undefined if it has no operation. */
function callOf(request: FastifyRequest): Call | undefined {
  return request.getDecorator<Call | null>('call') ?? undefined;
}

/** Returns the operation of a route, from the configuration that ts-rest adds. */
function operationAt({ config }: { readonly config?: unknown }): RestOperation | undefined {
  return (config as { readonly tsRestRoute?: RestService['contract'][string] } | undefined)?.tsRestRoute
    ?.metadata;
}

/** Runs a task of a caller once a permit is free, where the service bounds the requests in progress of each caller. */
function inTurn<T>(
  { concurrency }: RestService,
  caller: string,
  task: () => Promise<T>,
  account?: string,
): Promise<T> {
  return concurrency === undefined ? task() : concurrency.run(caller, task, account);
}

/** Members count for themselves, so that no member and no token can keep an owner from acting. */
function countedAs(caller: RestCaller): string | undefined {
  if (caller.kind === 'anyone') return undefined;
  return caller.kind === 'session' ? caller.session.memberId : caller.accountId;
}

function accountOf(caller: RestCaller): string | undefined {
  if (caller.kind === 'anyone') return undefined;
  return caller.kind === 'session' ? caller.session.accountId : caller.accountId;
}

/** Returns the source of a request whose account and member are unknown: a network, since one client has all of its IPv6 addresses. */
function clientOf(options: RestOptions, request: FastifyRequest): string {
  const address = options.clientAddress(request.raw);
  return address === undefined ? 'an unknown address' : networkOf(address);
}

/** A request target that names the server too (RFC 9112, section 3.2.2). */
const ABSOLUTE_FORM = /^https?:\/\/[^/]*/i;
const MAX_PARAM_LENGTH = 16 * 1024;
/** Operations that anyone may call take only a few texts. */
const OPEN_BODY_BYTES = 16 * 1024;

/** Opens Fastify, which routes, reads bodies up to the limit of their operation, and does not listen. */
/** No route has a schema. Without these Fastify loads Ajv and its own compiler, 180 files, before it knows that. */
const COMPILERS = { buildValidator: notUsed, buildSerializer: notUsed };

function notUsed(): never {
  throw new Error('a route of Fastify has a schema, but requests are checked by the checks of their service');
}

function openFastify(endpoint: Endpoint): FastifyInstance {
  const { service, options } = endpoint;
  const { maxBodyBytes } = options;
  const app = fastify({
    logger: false,
    bodyLimit: maxBodyBytes,
    return503OnClosing: false,
    schemaController: { compilersFactory: COMPILERS },
    requestIdHeader: false,
    genReqId: createRequestId,
    rewriteUrl: ({ url = '' }) => url.replace(ABSOLUTE_FORM, ''),
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => void refuse(endpoint, error, { request, reply }),
  });
  app.decorateRequest('call', null);
  app.setNotFoundHandler(async ({ url }) => {
    throw serviceError('notFound', { path: url });
  });
  app.setErrorHandler(async (thrown, request, reply) =>
    refuse(endpoint, thrown, { request, reply, call: callOf(request) }),
  );
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
  app.addHook('onRoute', (route) => {
    const operation = operationAt(route);
    if (operation === undefined) return;
    const ownBytes = operation.auth.length === 0 ? OPEN_BODY_BYTES : service.maxBodyBytes;
    route.bodyLimit = Math.min(ownBytes, maxBodyBytes);
  });
  return app;
}

/** The framework refuses a type that it cannot read, even of a request without a body; requests with a body are checked later. */
function ignoreTypeWithoutBody({ method, headers }: FastifyRequest): void {
  if (method !== 'POST' && headers['content-type'] !== undefined)
    headers['content-type'] = 'application/octet-stream';
}

/** Puts an operation in a span. Its answer may still be in transit when the span ends. */
function withOperationSpan(
  { tracing }: RestOptions,
  name: string,
  { headers: { traceparent } }: FastifyRequest,
  run: () => Promise<Sent>,
): Promise<Sent> {
  if (tracing === undefined) return run();
  const start = { name: 'rest operation', attributes: { 'keyslot.operation': name } } as const;
  return tracing.request({ ...start, traceparent }, async (span) => {
    const answer = await run();
    span.set({ 'http.response.status_code': answer.status });
    return answer;
  });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const;

/** Answers methods that a path does not support; a preflight of a configured origin is answered. */
function addOtherMethods(app: FastifyInstance, url: string, { crossOrigin }: Endpoint): void {
  const taken = METHODS.filter((method) => app.hasRoute({ method, url }));
  const allow = taken.join(', ');
  app.route({
    method: METHODS.filter((method) => !taken.includes(method)),
    url,
    handler: async (request, reply) => {
      if (request.method === 'OPTIONS' && crossOrigin.answerPreflight(request, reply, allow)) return reply;
      reply.header('allow', allow);
      throw serviceError('methodNotAllowed');
    },
  });
}

/** Returns how a request ended: answered, or failed by this server, which includes an answer that it broke off; or refused (4xx), or its client left. */
function endingOf(response: ServerResponse): 'answered' | 'failed' | 'refused' | 'left' {
  const { writableFinished, statusCode } = response;
  if (isBroken(response) || (writableFinished && statusCode >= 500)) return 'failed';
  if (!writableFinished) return 'left';
  return statusCode < 400 ? 'answered' : 'refused';
}

/** Requests in progress, including those whose client has disconnected. */
type InFlightRequests = {
  readonly include: <T>(work: Promise<T>) => Promise<T>;
  /** Resolves when none is in progress: everything they made is charged, released and recorded. */
  readonly settled: () => Promise<void>;
};

/** Creates an empty set. */
function createInFlightRequests(): InFlightRequests {
  const underWay = new Set<Promise<unknown>>();
  return {
    include: async (work) => {
      underWay.add(work);
      try {
        return await work;
      } finally {
        underWay.delete(work);
      }
    },
    settled: async () => {
      while (underWay.size > 0) await Promise.allSettled(underWay);
    },
  };
}

/** Translates Fastify's own refusals into catalogue errors; anything else becomes an internal error. */
function fromFrameworkError(error: unknown, maxBodyBytes: number): ServiceError {
  if (error instanceof ServiceError) return error;
  switch (codeOf(error)) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return serviceError('bodyTooLarge', { limit: maxBodyBytes });
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
    case 'FST_ERR_CTP_EMPTY_TYPE':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
      return serviceError('contentTypeNotAllowed');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return serviceError('bodyInvalid', {
        errors: [{ pointer: '', detail: 'does not have the length of the Content-Length header' }],
      });
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return serviceError('notFound', { path: '/v1' });
    default:
      return serviceError('internalError', {}, error);
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}

function limitFields(policy: string, { limit, windowSeconds, remaining, resetMs }: CallLimitState) {
  return {
    'ratelimit-policy': `"${policy}";q=${limit};w=${windowSeconds}`,
    ratelimit: `"${policy}";r=${remaining};t=${Math.ceil(resetMs / 1000)}`,
  };
}

function refusalFields(policy: string, { context }: ServiceError) {
  const { limit, windowSeconds, retryAfterSeconds } = context;
  const state = { limit: Number(limit), windowSeconds: Number(windowSeconds), remaining: 0 };
  return limitFields(policy, { ...state, resetMs: Number(retryAfterSeconds) * 1000 });
}

const EXPOSED = 'ratelimit, ratelimit-policy, retry-after, x-request-id, x-wallet-count';
const ALLOWED_HEADERS = 'authorization, content-type, idempotency-key, x-two-factor-code, x-wallets-received';

/** The rights of pages of other origins (Fetch standard): by default none, since a token in a page is exposed. */
type CrossOrigin = {
  /** Lets the page of a configured origin read the answer. */
  readonly setFields: (request: FastifyRequest, reply: FastifyReply) => void;
  /** Answers a preflight of a configured origin; false if the request is not one. */
  readonly answerPreflight: (request: FastifyRequest, reply: FastifyReply, methods: string) => boolean;
};

/** @param origins those whose pages may call; `*`: any. */
function createCrossOrigin(origins: readonly string[]): CrossOrigin {
  const allowed = ({ headers: { origin } }: FastifyRequest): string | undefined =>
    origin !== undefined && (origins.includes('*') || origins.includes(origin)) ? origin : undefined;
  return {
    setFields: (request, reply) => {
      if (origins.length > 0) reply.header('vary', 'origin');
      const origin = allowed(request);
      if (origin === undefined) return;
      reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', EXPOSED);
    },
    answerPreflight: (request, reply, methods) => {
      if (allowed(request) === undefined) return false;
      reply
        .header('access-control-allow-methods', methods)
        .header('access-control-allow-headers', ALLOWED_HEADERS)
        .header('access-control-max-age', '86400')
        .code(204)
        .send();
      return true;
    },
  };
}
