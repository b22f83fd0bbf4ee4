import type { ServerResponse } from 'node:http';
import { errorEntry } from '../../../generated/errors.ts';
import { errorData, problemDetail, type ServiceError, serviceError } from '../../core/service-error.ts';

/** A refusal in the form of RFC 9457, with the headers that HTTP requires with it. */
export type Problem = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8';

/** Returns the problem of an error. One without a problem form becomes an internal error, whose cause is never sent. */
export function toProblem(error: ServiceError, requestId: string): Problem {
  const { problem } = errorEntry(error.code);
  if (problem === undefined) return toProblem(serviceError('internalError', {}, error), requestId);
  const { code, status, title } = problem;
  const body = {
    type: `urn:keyslot:error:${code}`,
    title,
    status,
    detail: problemDetail(error),
    code,
    request_id: requestId,
    ...snakeCased(errorData(error)),
  };
  const headers = { 'x-request-id': requestId, 'cache-control': 'no-store', ...headersOf(error, status) };
  return { status, headers, body: JSON.stringify(body) };
}

/** Answers with the problem of an error, unless something has been sent; headers that are set stay. */
export function sendProblem(response: ServerResponse, { status, headers, body }: Problem): void {
  if (response.headersSent || response.destroyed) return void response.destroy();
  response.writeHead(status, {
    ...headers,
    'content-type': PROBLEM_TYPE,
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

/** RFC 6750 section 3 for a refused token, RFC 9110 section 10.2.3 for the time to wait and 15.5.16 for the encodings taken. */
function headersOf({ code, context }: ServiceError, status: number): Readonly<Record<string, string>> {
  if (code === 'tokenMissing') return { 'www-authenticate': 'Bearer' };
  if (status === 401) return { 'www-authenticate': 'Bearer error="invalid_token"' };
  if (code === 'scopeMissing') {
    return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${String(context.scope)}"` };
  }
  if (code === 'contentEncodingNotAllowed') return { 'accept-encoding': 'identity' };
  if (code === 'readOnlyPath') return { allow: 'GET, HEAD' };
  return status === 429 ? { 'retry-after': String(context.retryAfterSeconds) } : {};
}

function snakeCased(data: unknown): object {
  if (typeof data !== 'object' || data === null) return {};
  return Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      typeof value === 'bigint' ? Number(value) : value,
    ]),
  );
}
