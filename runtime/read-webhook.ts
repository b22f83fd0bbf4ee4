/** A request as its receiver gets it. */
export type ReceivedWebhook = {
  /** The raw body, before any parser: the signature covers its characters. */
  readonly body: string;
  /** The header fields; names in any case, as `Headers` or as an object. */
  readonly headers:
    | { readonly get: (name: string) => string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** The secret, `whsec_…`; several during a rotation. */
  readonly secret: string | readonly string[];
  /** Largest difference between the time of the attempt and this clock. Default 300 seconds. */
  readonly toleranceSeconds?: number;
  /** Default: the system's clock. */
  readonly nowMs?: number;
};

/** Thrown for a request without a valid, recent signature. */
export class WebhookError extends Error {
  override readonly name = 'WebhookError';
}

const PREFIX = 'whsec_';
const VERSION = 'v1,';
const TOLERANCE_S = 300;

/** Verifies a request (Standard Webhooks 1.0) and parses its body. @throws WebhookError */
export const readWebhook = async ({
  body,
  headers,
  secret,
  toleranceSeconds = TOLERANCE_S,
  nowMs = Date.now(),
}: ReceivedWebhook): Promise<unknown> => {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) =>
    field(headers, `webhook-${name}`),
  );
  if (id === undefined || timestamp === undefined || signatures === undefined)
    throw new WebhookError('a header webhook-id, webhook-timestamp or webhook-signature is missing');
  const apartS = Math.abs(nowMs / 1_000 - Number(timestamp));
  if (!/^\d{1,12}$/.test(timestamp) || apartS > toleranceSeconds)
    throw new WebhookError(`webhook-timestamp is not within ${toleranceSeconds} s of this clock`);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const given = signatures.split(' ').filter((text) => text.startsWith(VERSION));
  for (const one of [secret].flat())
    if (await isSignedBy(one, signed, given)) return JSON.parse(body) as unknown;
  throw new WebhookError('no secret signed this request');
};

const isSignedBy = async (
  secret: string,
  signed: Uint8Array<ArrayBuffer>,
  given: readonly string[],
): Promise<boolean> => {
  const bytes = fromBase64(secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (bytes === undefined || bytes.length === 0) throw new TypeError('a secret must be whsec_ and base64');
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ]);
  for (const text of given) {
    const signature = fromBase64(text.slice(VERSION.length));
    if (signature !== undefined && (await crypto.subtle.verify('HMAC', key, signature, signed))) return true;
  }
  return false;
};

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    // A length that base64 does not have.
    return undefined;
  }
};

const field = (headers: ReceivedWebhook['headers'], name: string): string | undefined => {
  if (typeof headers.get === 'function') return (headers as Headers).get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return typeof entry?.[1] === 'string' ? entry[1] : undefined;
};
