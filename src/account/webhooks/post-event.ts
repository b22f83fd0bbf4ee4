import type { LookupAddress } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Agent as HttpAgent, request as httpRequest } from '../../core/node-http.ts';
import type { IsAllowed } from './allowed-addresses.ts';
import { hostOf } from './target.ts';

/** The answer of a receiver, or the reason why it is missing. */
export type Answer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The beginning of the body, at most 1,024 bytes. */
      readonly text: string;
      readonly retryAfterMs: number | undefined;
    }
  | { readonly kind: 'failed'; readonly error: string };

/** Sends the bytes of an event to a receiver, once. Never rejects. */
export type PostEvent = (posted: {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
}) => Promise<Answer>;

/** Resolves a name to all its addresses. */
export type Resolve = (host: string) => Promise<readonly LookupAddress[]>;

export type PostOptions = {
  /** Only these addresses are connected to. */
  readonly isAllowed: IsAllowed;
  /** Time from the call to the end of the answer. Default 15,000 ms. */
  readonly timeoutMs?: number;
  /** Called once for each connection to a name. */
  readonly resolve: Resolve;
};

const TIMEOUT_MS = 15_000;
/** Number of bytes of an answer that are kept, in UTF-8. */
const KEPT_BYTES = 1_024;
/** Number of bytes of an answer that are read: a connection with more to come is closed. */
const READ_BYTES = 16_384;
const IDLE_MS = 4_000;
const MAX_RETRY_AFTER_S = 86_400 * 7;

/** Creates a sender with its own connections, so that none is used by a sender with other rules. It follows no redirect and no proxy. */
export function createPostEvent(options: PostOptions): {
  readonly post: PostEvent;
  readonly close: () => void;
} {
  const { isAllowed, timeoutMs = TIMEOUT_MS, resolve } = options;
  const kept = {
    keepAlive: true,
    timeout: IDLE_MS,
    maxFreeSockets: 64,
    lookup: checkedLookup(resolve, isAllowed),
  };
  const agents = { 'http:': new HttpAgent(kept), 'https:': new HttpsAgent(kept) };
  const post: PostEvent = async ({ url, headers, body, signal }) => {
    const host = hostOf(url);
    // An address that is written out is not looked up.
    if (isIP(host) !== 0 && !isAllowed(host)) return { kind: 'failed', error: forbidden(host) };
    const deadline = AbortSignal.timeout(timeoutMs);
    const isPlain = url.protocol === 'http:';
    const send = isPlain ? httpRequest : httpsRequest;
    try {
      const response = await new Promise<IncomingMessage>((answered, failed) => {
        const sent = send(url, {
          method: 'POST',
          agent: agents[isPlain ? 'http:' : 'https:'],
          headers: { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
          signal: AbortSignal.any([signal, deadline]),
        });
        sent.once('response', answered).once('error', failed).end(body);
      });
      const { statusCode: status = 0 } = response;
      const retryAfterMs = readRetryAfter(response.headers['retry-after']);
      return { kind: 'answered', status, text: await readBeginning(response), retryAfterMs };
    } catch (error) {
      if (deadline.aborted) return { kind: 'failed', error: `no answer within ${timeoutMs} ms` };
      return { kind: 'failed', error: reasonOf(error) };
    }
  };
  const close = (): void => {
    agents['http:'].destroy();
    agents['https:'].destroy();
  };
  return { post, close };
}

/** Resolves a name, and connects to an address that was checked, so that the name cannot change in between. */
function checkedLookup(resolve: Resolve, isAllowed: IsAllowed): LookupFunction {
  return (host, { all }, callback) => {
    resolve(host).then(
      (found) => {
        const allowed = found.filter(({ address }) => isAllowed(address));
        const [first] = allowed;
        if (first === undefined) callback(new Error(forbidden(host)), '', 0);
        else if (all === true) callback(null, allowed as LookupAddress[]);
        else callback(null, first.address, first.family);
      },
      // Names of the operator's own network look like names that do not exist.
      ({ code }: NodeJS.ErrnoException) =>
        callback(new Error(isUnknownName(code) ? forbidden(host) : code), '', 0),
    );
  };
}

/** Returns the part of a body that arrived in time: the status is the answer, even if the body fails. */
async function readBeginning(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      size += part.length;
      // Leaving the loop closes the connection.
      if (size >= READ_BYTES) break;
    }
  } catch (error) {
    if (parts.length === 0) return `(no body: ${reasonOf(error)})`;
  }
  // PostgreSQL stores no zero character.
  const text = Buffer.concat(parts).toString('utf8').replaceAll('\0', '\u{fffd}');
  // The number of code units of the characters that fit whole.
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(KEPT_BYTES));
  return text.slice(0, read);
}

/** RFC 9110, section 10.2.3: seconds, which some senders write with a fraction, or a date. */
function readRetryAfter(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = /^\d+(?:\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - Date.now();
  return ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_S * 1_000) : undefined;
}

/** True for the codes of DNS and of the system that say that a name has no address. */
function isUnknownName(code: string | undefined): boolean {
  return code === 'ENOTFOUND' || code === 'ENODATA';
}

function forbidden(host: string): string {
  return `${host} has no public address`;
}

/** The code of a failure of the network; its text could name addresses that the receiver's owner may not know. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  if (typeof code === 'string') return code;
  return typeof message === 'string' ? message : 'the request failed';
}
