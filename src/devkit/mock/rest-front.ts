import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { parse as parseQuery } from 'node:querystring';
import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import { isHeaderValue, BODY_MEMBERS, OPERATIONS } from '../../../generated/wallets/operations.ts';
import { request as sendRequest } from '../../core/node-http.ts';
import { createRequestId } from '../../core/request-id.ts';
import { toServiceError, serviceError } from '../../core/service-error.ts';
import { createDocuments } from '../../server/pages/docs/documents.ts';
import type { HttpHandler } from '../../server/http/http-server.ts';
import { readBody, assertNotEncoded } from '../../server/http/read-body.ts';
import { pathOf } from '../../server/http/target.ts';
import { sendProblem, toProblem } from '../../server/http/problem.ts';
import { jsonLinesType } from '../../server/rest/send-stream.ts';
import { chooseExample, type AnswerExamples } from './choose-example.ts';
import { readKey, readReceived, readRequest, type RequestChecks } from '../../server/rest/read-request.ts';
import { readSessionCookie } from '../../server/rest/session-cookie.ts';
import { BODY_CHECKS as ACCOUNT_BODIES } from '../../../generated/account/body-checks.js';
import {
  BODY_MEMBERS as ACCOUNT_MEMBERS,
  OPERATIONS as ACCOUNT_OPERATIONS,
} from '../../../generated/account/operations.ts';
import { QUERY_CHECKS as ACCOUNT_QUERIES } from '../../../generated/account/query-checks.js';
import { BODY_CHECKS } from '../../../generated/wallets/body-checks.js';
import { QUERY_CHECKS } from '../../../generated/wallets/query-checks.js';
import { type AnswerForm, MEDIA_TYPES, type RestOperation } from '../../../runtime/rest-operation.ts';

const MAX_BODY_BYTES = CONFIG_INTEGERS['http.max_body_bytes'].default;
/** Methods that Prism answers on every path. */
const OF_PRISM: readonly unknown[] = ['OPTIONS', 'HEAD'];

/** A request to Prism. */
type Question = { readonly headers: OutgoingHttpHeaders; readonly bytes: Buffer };

/**
 * Answers requests for the wallet and account services: it refuses what the server refuses, in the server's words, serves both documents,
 * and asks Prism, which has `mocked`, for the example that matches the request.
 */
export function createRestFront(prismUrl: string, mocked: string): HttpHandler {
  const documents = createDocuments();
  const parsed: unknown = JSON.parse(mocked);
  return async (request, response) => {
    const [path = '', search = ''] = targetOf(request).split('?', 2);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const document = path.endsWith('/openapi.json') && isRead ? documents.get(path) : undefined;
    if (document !== undefined) return await document(request, response);
    try {
      const bytes = await readBody(request, response, MAX_BODY_BYTES);
      const asked = { headers: request.headers, search, bytes };
      if (OF_PRISM.includes(request.method)) return await forward(prismUrl, request, response, asked);
      const setAllow = (methods: string): void => void response.setHeader('allow', methods);
      const operation = findOperation(request.method, path, setAllow);
      await forward(prismUrl, request, response, toQuestion(parsed, operation, asked));
    } catch (error) {
      response.setHeader('access-control-allow-origin', '*');
      sendProblem(response, toProblem(toServiceError(error), createRequestId()));
    }
  };
}

/** @throws ServiceError if the server would refuse the request. */
function toQuestion(document: unknown, operation: MockedOperation, request: MockRequest): Question {
  // Prism refuses it before it looks at the body.
  if (!carriesCredential(operation, request.headers)) return withoutBody(request.headers);
  const accepted = readMockRequest(operation, request);
  const headers = choosesAnswer(request)
    ? request.headers
    : { ...request.headers, ...choiceFor(document, operation, accepted) };
  return accepted.body === undefined ? withoutBody(headers) : { headers, bytes: request.bytes };
}

function choiceFor(
  document: unknown,
  operation: MockedOperation,
  { form, body }: AcceptedRequest,
): OutgoingHttpHeaders {
  const media = MEDIA_TYPES[form];
  const example = body && chooseExample(examplesIn(document, operation, media), body);
  const accept = `${media}, application/problem+json;q=0.5`;
  return example === undefined
    ? { accept }
    : { accept, prefer: `code=${operation.status}, example=${example}` };
}

function withoutBody({ 'content-type': _, ...headers }: OutgoingHttpHeaders): Question {
  return { headers, bytes: Buffer.alloc(0) };
}

/** Returns the target in origin form. */
function targetOf({ url = '' }: IncomingMessage): string {
  const query = url.indexOf('?');
  return query < 0 ? pathOf(url) : `${pathOf(url)}${url.slice(query)}`;
}

async function forward(
  prismUrl: string,
  request: IncomingMessage,
  response: ServerResponse,
  { headers, bytes }: Question,
): Promise<void> {
  const { 'transfer-encoding': _, expect: __, ...sent } = headers;
  const options = {
    method: request.method,
    path: targetOf(request),
    headers: { ...sent, 'content-length': bytes.length },
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sendRequest(prismUrl, options).on('response', resolve).on('error', reject).end(bytes);
  });
  response.writeHead(answer.statusCode ?? 500, headersOf(answer, request));
  await pipeline(answer, response);
}

/** Prism sends every header that the document lists, even if the answer has another form. */
function headersOf({ headers }: IncomingMessage, request: IncomingMessage): OutgoingHttpHeaders {
  const type = headers['content-type'] ?? '';
  const { 'content-disposition': disposition, 'x-wallet-count': count, connection: _, ...others } = headers;
  if (type.startsWith(MEDIA_TYPES.csv)) return headers;
  if (!type.startsWith(MEDIA_TYPES.jsonl)) return others;
  return { ...others, 'x-wallet-count': count, 'content-type': jsonLinesType(request) };
}

type Members = Readonly<Record<string, unknown>>;

/** Returns the examples of an operation's success in a media type, from the mocked document. */
function examplesIn(
  document: unknown,
  { path, method, status }: MockedOperation,
  mediaType: string,
): AnswerExamples {
  const operation = memberOf(memberOf(memberOf(document, 'paths'), path), method.toLowerCase());
  const answer = memberOf(memberOf(memberOf(operation, 'responses'), String(status)), 'content');
  const request = memberOf(memberOf(memberOf(operation, 'requestBody'), 'content'), 'application/json');
  const requests = Object.entries(memberOf(request, 'examples')).map(
    ([name, example]) => [name, memberOf(example, 'value')] as const,
  );
  return {
    names: Object.keys(memberOf(memberOf(answer, mediaType), 'examples')),
    requests: Object.fromEntries(requests),
  };
}

function memberOf(value: unknown, name: string): Members {
  const member = typeof value === 'object' && value !== null ? (value as Members)[name] : undefined;
  return typeof member === 'object' && member !== null ? (member as Members) : {};
}

/** A request for an operation, as it came. */
type MockRequest = {
  readonly headers: IncomingHttpHeaders;
  /** Without the question mark. */
  readonly search: string;
  readonly bytes: Buffer;
};

/** A request that the server would have taken. */
type AcceptedRequest = {
  readonly form: AnswerForm;
  /** Undefined if the operation takes none. */
  readonly body: object | undefined;
};

const JSON_BODY = /^application\/json\s*(?:;|$)/i;
const BEARER = /^bearer\s+\S/i;
/** The mock speaks plain HTTP. */
const MOCK_URL = 'http://localhost';

/** True if a request carries any credential of a kind that the operation accepts, or if the operation needs none. */
function carriesCredential({ auth }: MockedOperation, headers: IncomingHttpHeaders): boolean {
  if (auth.length === 0) return true;
  if (auth.includes('token') && BEARER.test(headers.authorization ?? '')) return true;
  return auth.includes('session') && readSessionCookie(headers, MOCK_URL) !== undefined;
}

/** True if a request chooses its answer by Prism's means. */
function choosesAnswer({ headers, search }: Pick<MockRequest, 'headers' | 'search'>): boolean {
  return headers.prefer !== undefined || /(?:^|&)__(?:code|example|dynamic)=/.test(search);
}

/**
 * Checks a request as the server does, as far as that depends on the request alone.
 *
 * @throws ServiceError `contentTypeNotAllowed`, `contentEncodingNotAllowed`, `idempotencyKeyInvalid`, `walletsReceivedInvalid`,
 *   `bodyNotUtf8`, `bodyInvalid`, `queryInvalid`, `notAcceptable`, `twoFactorMissing`, `twoFactorInvalid`.
 */
function readMockRequest(operation: MockedOperation, request: MockRequest): AcceptedRequest {
  const { name, method, checks } = operation;
  const { headers, search, bytes } = request;
  const type = headers['content-type'];
  if (method === 'POST' && (type !== undefined || bytes.length > 0) && !JSON_BODY.test(type ?? ''))
    throw serviceError('contentTypeNotAllowed');
  if (method === 'POST') assertNotEncoded(headers);
  readKey(operation, headers);
  // A request that chooses its answer may accept a media type that only this answer has.
  const { accept: _, ...others } = headers;
  const { form, body, twoFactorCode } = readRequest(operation, {
    operation: name,
    checks,
    request: {
      headers: choosesAnswer(request) ? others : headers,
      query: parseQuery(search),
      params: {},
      body: Buffer.from(bytes),
    },
  });
  readReceived(operation, headers, body);
  if (operation.headers.includes('X-Two-Factor-Code')) assertTwoFactor(twoFactorCode);
  return { form, body };
}

function assertTwoFactor(code: string | undefined): void {
  if (code === undefined) throw serviceError('twoFactorMissing');
  if (!isHeaderValue('X-Two-Factor-Code', code)) throw serviceError('twoFactorInvalid');
}

/** An operation that is mocked, with the checks of its service. */
type MockedOperation = RestOperation & { readonly name: string; readonly checks: RequestChecks };

type Entries = Readonly<Record<string, RestOperation>>;

const withChecks = (entries: Entries, checks: RequestChecks): readonly MockedOperation[] =>
  Object.entries(entries).map(([name, entry]) => ({ ...entry, name, checks }));

const MOCKED: readonly MockedOperation[] = [
  ...withChecks(OPERATIONS, { bodies: BODY_CHECKS, queries: QUERY_CHECKS, bodyMembers: BODY_MEMBERS }),
  ...withChecks(ACCOUNT_OPERATIONS, {
    bodies: ACCOUNT_BODIES,
    queries: ACCOUNT_QUERIES,
    bodyMembers: ACCOUNT_MEMBERS,
  }),
];

/**
 * Finds the operation of a method and a path.
 *
 * @param setAllow gets the methods of a path that does not support this one.
 * @throws ServiceError `notFound`, `methodNotAllowed`.
 */
function findOperation(
  method: string | undefined,
  path: string,
  setAllow: (methods: string) => void,
): MockedOperation {
  const operations = operationsAt(path);
  if (operations.length === 0) throw serviceError('notFound', { path });
  const found = operations.find((operation) => operation.method === method);
  if (found !== undefined) return found;
  setAllow(operations.map((operation) => operation.method).join(', '));
  throw serviceError('methodNotAllowed');
}

/** The operations of a path; one without an id in it comes before those with one. */
function operationsAt(path: string): readonly MockedOperation[] {
  const exact = MOCKED.filter((operation) => operation.path === path);
  return exact.length > 0 ? exact : MOCKED.filter((operation) => patternOf(operation).test(path));
}

const patternOf = ({ path }: MockedOperation): RegExp => new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
