import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ERRORS, type ErrorName } from '../../../generated/errors.ts';
import type { ServiceError } from '../../core/service-error.ts';
import { errorReply } from '../../core/rpc/replies.ts';
import type { PlainRequest } from './plain/plain-request.ts';
import { PlainResponse } from './plain/plain-response.ts';

/** A request, read by node:http or by the plain lane. */
export type HttpRequest = IncomingMessage | PlainRequest;

/** The response to a request. */
export type HttpResponse = ServerResponse | PlainResponse;

export const JSON_TYPE = 'application/json; charset=utf-8';

/** Sent with every JSON answer; the router sets which origins may read it. */
export const COMMON_HEADERS = { 'content-type': JSON_TYPE, 'cache-control': 'no-store' } as const;

export type HeaderMap = Readonly<Record<string, string>>;

/** Up to this size a body is sent in one write with the head: node:http joins the two only if both are strings. */
const ONE_WRITE_BYTES = 8 * 1024;

/** Up to this size, copying parts costs less than writing each. */
const JOINED_BYTES = 64 * 1024;

/** Headers that HTTP requires with an error (RFC 9110, sections 15.5.6 and 15.5.16). */
const EXTRA_HEADERS: Readonly<Partial<Record<ErrorName, HeaderMap>>> = {
  methodNotAllowed: { allow: 'POST, OPTIONS' },
  contentEncodingNotAllowed: { 'accept-encoding': 'identity' },
  readOnlyPath: { allow: 'GET, HEAD' },
};

/** Answers with a body; does nothing if the client has disconnected. */
export function sendBody(
  response: HttpResponse,
  status: number,
  body: Buffer | string,
  headers: HeaderMap = {},
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, {
    ...COMMON_HEADERS,
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
  });
  if (typeof body === 'string' || body.length > ONE_WRITE_BYTES) response.end(body);
  else response.end(body.toString('latin1'), 'latin1');
}

/** Answers 200 with a body in parts, which are joined only if they are small. */
export function sendParts(response: HttpResponse, parts: readonly Buffer[]): void {
  if (response.headersSent || response.destroyed) return;
  const sizeBytes = parts.reduce((sum, part) => sum + part.length, 0);
  if (sizeBytes <= JOINED_BYTES) {
    sendBody(response, 200, Buffer.concat(parts, sizeBytes));
    return;
  }
  response.writeHead(200, { ...COMMON_HEADERS, 'content-length': String(sizeBytes) });
  for (const part of parts) response.write(part);
  response.end();
}

/** Answers 200 with a body that is still arriving; `sizeBytes`: its length, if it is known. Rejects when either side breaks off. */
export async function sendStream(
  response: HttpResponse,
  body: Readable,
  { sizeBytes, headers }: { readonly sizeBytes: number | undefined; readonly headers: HeaderMap },
): Promise<void> {
  const length = sizeBytes === undefined ? {} : { 'content-length': String(sizeBytes) };
  response.writeHead(200, { ...COMMON_HEADERS, ...headers, ...length });
  return response instanceof PlainResponse ? response.sendStream(body) : pipeline(body, response);
}

/** Answers with a JSON-RPC error body under the error's HTTP status. `id`: the raw token of the call, if one was read. */
export function sendError(response: HttpResponse, error: ServiceError, id = 'null'): void {
  sendBody(response, ERRORS[error.code].http, errorReply(id, error), EXTRA_HEADERS[error.code] ?? {});
}
