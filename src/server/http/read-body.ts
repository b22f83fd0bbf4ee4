import type { IncomingMessage } from 'node:http';
import { serviceError } from '../../base/service-error.ts';
import { PlainRequest } from './plain/plain-request.ts';
import type { HttpRequest, HttpResponse } from './respond.ts';

/** Matching takes the square of the length at worst. */
const MAX_TYPE_CHARACTERS = 128;
const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?;?\s*$/i;

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

/** True for a body that ledger nodes accept by its Content-Type: application/json, in UTF-8 if it names a charset. */
export function isJsonBody({ headers }: HttpRequest): boolean {
  const type = headers['content-type'] ?? '';
  return type.length <= MAX_TYPE_CHARACTERS && JSON_TYPE.test(type);
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
