import type { IncomingHttpHeaders } from 'node:http';
import { parse as parseQuery } from 'node:querystring';
import { type AnswerForm, isHeaderValue, type OperationId } from '../../generated/wallets/operations.ts';
import { serviceError } from '../base/service-error.ts';
import { assertNotEncoded } from '../server/http/read-body.ts';
import { readReceived } from '../server/rest/read-received.ts';
import { readKey, readRequest } from '../server/rest/read-request.ts';
import { readSessionCookie } from '../server/rest/session-cookie.ts';
import type { MockedOperation } from './mocked-operations.ts';

/** A request for an operation, as it came. */
export type MockRequest = {
  readonly headers: IncomingHttpHeaders;
  /** Without the question mark. */
  readonly search: string;
  readonly bytes: Buffer;
};

/** A request that the server would have taken. */
export type AcceptedRequest = {
  readonly form: AnswerForm;
  /** Undefined if the operation takes none. */
  readonly body: object | undefined;
};

const JSON_BODY = /^application\/json\s*(?:;|$)/i;
const BEARER = /^bearer\s+\S/i;
/** The mock speaks plain HTTP. */
const MOCK_URL = 'http://localhost';

/** True if a request carries a credential that the operation takes, whatever its value, or needs none. */
export function carriesCredential({ auth }: MockedOperation, headers: IncomingHttpHeaders): boolean {
  if (auth.length === 0) return true;
  if (auth.includes('token') && BEARER.test(headers.authorization ?? '')) return true;
  return auth.includes('session') && readSessionCookie(headers, MOCK_URL) !== undefined;
}

/** True if a request chooses its answer itself, in the way of Prism. */
export function choosesAnswer({ headers, search }: Pick<MockRequest, 'headers' | 'search'>): boolean {
  return headers.prefer !== undefined || /(?:^|&)__(?:code|example|dynamic)=/.test(search);
}

/**
 * Checks a request as the server does, as far as that depends on the request alone.
 *
 * @throws ServiceError `contentTypeNotAllowed`, `contentEncodingNotAllowed`, `idempotencyKeyInvalid`, `walletsReceivedInvalid`,
 *   `bodyNotUtf8`, `bodyInvalid`, `queryInvalid`, `notAcceptable`, `twoFactorMissing`, `twoFactorInvalid`.
 */
export function readMockRequest(operation: MockedOperation, request: MockRequest): AcceptedRequest {
  const { name, method, checks } = operation;
  const { headers, search, bytes } = request;
  const type = headers['content-type'];
  if (method === 'POST' && (type !== undefined || bytes.length > 0) && !JSON_BODY.test(type ?? ''))
    throw serviceError('contentTypeNotAllowed');
  if (method === 'POST') assertNotEncoded(headers);
  readKey(operation, headers);
  // A request that chooses its answer may accept what only that answer is.
  const { accept: _, ...others } = headers;
  const { form, body, twoFactorCode } = readRequest(operation, {
    operation: name,
    checks,
    request: {
      ...{ headers: choosesAnswer(request) ? others : headers, query: parseQuery(search), params: {} },
      body: Buffer.from(bytes),
    },
  });
  if (operation.headers.includes('X-Wallets-Received')) readReceived(name as OperationId, headers, body);
  if (operation.headers.includes('X-Two-Factor-Code')) assertTwoFactor(twoFactorCode);
  return { form, body };
}

function assertTwoFactor(code: string | undefined): void {
  if (code === undefined) throw serviceError('twoFactorMissing');
  if (!isHeaderValue('X-Two-Factor-Code', code)) throw serviceError('twoFactorInvalid');
}
