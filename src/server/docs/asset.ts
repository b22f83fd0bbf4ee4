import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

/** A document that does not change while the server runs, plain and compressed. */
export type Asset = {
  readonly type: string;
  readonly plain: Representation;
  readonly gzip: Representation;
};

/** One form of a document; each has its own strong ETag (RFC 9110, section 8.8.3.3). */
export type Representation = { readonly body: Buffer; readonly etag: string };

const compress = promisify(gzip);
const LEVEL = 9;

/** Prepares a document for sending. */
export async function createAsset(type: string, body: Buffer): Promise<Asset> {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22);
  const compressed = await compress(body, { level: LEVEL });
  return {
    type,
    plain: { body, etag: `"${digest}"` },
    gzip: { body: compressed, etag: `"${digest}-gzip"` },
  };
}
