import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { request as sendRequest } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { CONFIG_INTEGERS } from '../../generated/config.ts';
import { MEDIA_TYPES } from '../../generated/wallets/operations.ts';
import { createRequestId } from '../base/request-id.ts';
import { toServiceError } from '../base/service-error.ts';
import { openapiDocument } from '../ledger/openapi-document.ts';
import { createDocs } from '../server/docs/docs-routes.ts';
import type { HttpHandler } from '../server/http/http-server.ts';
import { readBody } from '../server/http/read-body.ts';
import { pathOf } from '../server/http/target.ts';
import { sendProblem, toProblem } from '../server/rest/problem.ts';
import { jsonLinesType } from '../server/rest/send-stream.ts';
import { chooseExample } from './choose-example.ts';
import { examplesIn } from './mock-document-examples.ts';
import { findOperation, type MockedOperation } from './mocked-operations.ts';
import {
  type AcceptedRequest,
  carriesCredential,
  choosesAnswer,
  type MockRequest,
  readMockRequest,
} from './read-mock-request.ts';

const MAX_BODY_BYTES = CONFIG_INTEGERS['http.max_body_bytes'].default;
/** Methods that Prism answers on every path. */
const OF_PRISM: readonly unknown[] = ['OPTIONS', 'HEAD'];

/** A request to Prism. */
type Question = { readonly headers: OutgoingHttpHeaders; readonly bytes: Buffer };

/**
 * Answers requests for the wallet service and the account service: it refuses what the server refuses, in the server's words, serves the
 * documents of both, and asks Prism, which has `document`, for the example that fits the request.
 */
export function createRestFront(prismUrl: string, document: string): HttpHandler {
  const docs = createDocs({ readLedgerDocument: () => openapiDocument([]) });
  const parsed: unknown = JSON.parse(document);
  return async (request, response) => {
    const [path = '', search = ''] = targetOf(request).split('?', 2);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const doc = path.endsWith('/openapi.json') && isRead ? docs.get(path) : undefined;
    if (doc !== undefined) return await doc(request, response);
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

/** @throws ServiceError what the server would refuse. */
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

/** The target in origin form, whatever form it came in. */
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
    ...{ method: request.method, path: targetOf(request) },
    headers: { ...sent, 'content-length': bytes.length },
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    sendRequest(prismUrl, options).on('response', resolve).on('error', reject).end(bytes);
  });
  response.writeHead(answer.statusCode ?? 500, headersOf(answer, request));
  await pipeline(answer, response);
}

/** Prism sends every header that the document lists, whatever the form of the answer. */
function headersOf({ headers }: IncomingMessage, request: IncomingMessage): OutgoingHttpHeaders {
  const type = headers['content-type'] ?? '';
  const { 'content-disposition': disposition, 'x-wallet-count': count, connection: _, ...others } = headers;
  if (type.startsWith(MEDIA_TYPES.csv)) return headers;
  if (!type.startsWith(MEDIA_TYPES.jsonl)) return others;
  return { ...others, 'x-wallet-count': count, 'content-type': jsonLinesType(request) };
}
