import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { serviceError } from '../../core/service-error.ts';
import { PlainRequest } from './plain/plain-request.ts';
import type { HttpRequest, HttpResponse } from './respond.ts';

/** Matching takes the square of the length at worst. */
const MAX_TYPE_CHARACTERS = 128;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;
/** Clients should not send `identity`, but some do. */
const NOT_ENCODED = /^[\s,]*(?:identity[\s,]*)?$/i;
/** The registered names, one or several. Anything else is not repeated: it may be a secret that was put into the wrong header. */
const ENCODINGS =
  /^(?:(?:x-)?(?:gzip|compress)|deflate|br|zstd|dc[bz]|aes128gcm|exi|pack200-gzip|identity|[\s,])+$/i;
const MAX_ENCODING_CHARS = 64;

/**
 * Reads the body of a request, up to `maxBytes`. A client that waits for `100 Continue` gets it here, after all other checks;
 * HTTP/1.0 clients cannot get one (RFC 9110, section 10.1.1).
 *
 * @throws ServiceError `bodyTooLarge`, from the announced length where there is one. Rejects with the connection's error if the
 *   client disconnects. The server's `requestTimeout` limits how long a body may take.
 */
export async function readBody(
  request: HttpRequest,
  response: HttpResponse,
  maxBytes: number,
): Promise<Buffer> {
  if (!(request instanceof PlainRequest)) return collectBody(request, response, maxBytes);
  if (request.body.length > maxBytes) throw serviceError('bodyTooLarge', { limit: maxBytes });
  return request.body;
}

/**
 * Checks that a body is what ledger nodes accept: application/json, in UTF-8 if its Content-Type names a charset, and not compressed.
 *
 * @throws ServiceError `contentTypeNotAllowed`, `contentEncodingNotAllowed`.
 */
export function assertJsonBody({ headers }: Pick<HttpRequest, 'headers'>): void {
  const type = headers['content-type'] ?? '';
  if (type.length > MAX_TYPE_CHARACTERS || !JSON_TYPE.test(type)) throw serviceError('contentTypeNotAllowed');
  assertNotEncoded(headers);
}

/** Checks that a body is sent as it is (RFC 9110, section 8.4). @throws ServiceError `contentEncodingNotAllowed`. */
export function assertNotEncoded({ 'content-encoding': encoding = '' }: IncomingHttpHeaders): void {
  if (NOT_ENCODED.test(encoding)) return;
  const isKnown = encoding.length <= MAX_ENCODING_CHARS && ENCODINGS.test(encoding);
  throw serviceError('contentEncodingNotAllowed', { encoding: isKnown ? encoding : 'unknown' });
}

function collectBody(request: IncomingMessage, response: HttpResponse, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const tooLarge = (): void => {
      request.removeAllListeners('data');
      reject(serviceError('bodyTooLarge', { limit: maxBytes }));
    };
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) return tooLarge();
    const isToContinue = request.headers.expect !== undefined && request.httpVersion !== '1.0';
    if (isToContinue && 'writeContinue' in response) response.writeContinue();
    const chunks: Buffer[] = [];
    let sizeBytes = 0;
    request.on('data', (chunk: Buffer) => {
      sizeBytes += chunk.length;
      if (sizeBytes > maxBytes) return tooLarge();
      chunks.push(chunk);
    });
    request.on('end', () => resolve(joinChunks(chunks)));
    request.on('error', reject);
  });
}

function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks);
}
