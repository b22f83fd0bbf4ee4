import { readCsv, readJsonl } from './item-stream.ts';
import { printQuery, type QueryValues } from './print-query.ts';
import { type ProblemBody, RestCallError, type RestFailure } from './rest-call-error.ts';

export { RestCallError, type RestFailure } from './rest-call-error.ts';

export type RestOptions = {
  /** Address of the server, without /v1. */
  readonly url: string;
  /**
   * Access token, sent as Bearer. Absent: the caller is authenticated by what fetch sends itself, such as a session cookie, which a browser
   * sends to a server of the page's own origin.
   */
  readonly token?: string;
  readonly fetch?: typeof fetch;
  /** Maximum time until an answer is complete; for a stream, until it begins and between two parts of it. Default 30,000. */
  readonly timeoutMs?: number;
  /** Cancels every call of this client that is under way, and later ones. */
  readonly signal?: AbortSignal;
};

/** Options of a single call. */
export type CallOptions = { readonly signal?: AbortSignal };

/** Options of a call that can be repeated safely. */
export type IdempotentOptions = CallOptions & {
  /** The same key with the same body has the same outcome, once. */
  readonly idempotencyKey?: string;
};

/**
 * Items that arrive one after the other. They can be read once: as items, or as the received text. Leaving the loop closes the connection.
 * If announced items are missing, it throws RestCallError (truncated).
 */
export type ItemStream<T> = AsyncIterable<T> & {
  /** Number of announced items; undefined if unknown. */
  readonly count: number | undefined;
  /** Number of items that the loop has received so far. */
  readonly received: number;
  /** The text as it arrives, JSONL or CSV; to be written to a file. Its completeness is not checked. */
  readonly text: () => AsyncIterable<string>;
};

export type RestRequest = {
  readonly operation: string;
  readonly method: string;
  readonly path: string;
  /** Parameters; undefined ones are left out. */
  readonly query?: QueryValues | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
};

/** Sends one request; returns the JSON of the answer, or a stream if the server sends one. Throws RestCallError. */
export type RestCall = (request: RestRequest) => Promise<unknown>;

/** Calls over fetch. */
export const createRestCall =
  ({ url, token, fetch: send = fetch, timeoutMs = 30_000, signal }: RestOptions): RestCall =>
  async ({ operation, method, path, query = {}, headers = {}, body, signal: callSignal }) => {
    const watch = startWatch(operation, timeoutMs, [signal, callSignal]);
    try {
      watch.signal.throwIfAborted();
      const response = await send(`${new URL(url).href.replace(/\/$/, '')}${path}${printQuery(query)}`, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...present(headers),
        },
        ...(token === undefined ? { credentials: 'same-origin' } : {}),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: watch.signal,
      });
      const type = response.headers.get('content-type') ?? '';
      if (response.ok && STREAMS.test(type)) {
        watch.pause();
        return streamOf(operation, response, watch);
      }
      const text = await response.text();
      watch.stop();
      return resultOf(operation, response, type, text);
    } catch (error) {
      watch.stop();
      throw watch.reasonOf(error);
    }
  };

const STREAMS = /^(application\/(jsonl|x-ndjson)|text\/csv)\b/;

/** The deadline and the signals of a call. */
type Watch = {
  readonly signal: AbortSignal;
  /** Restarts the deadline. */
  readonly begin: () => void;
  /** Stops the deadline: from now on only the caller takes time. */
  readonly pause: () => void;
  readonly stop: () => void;
  readonly reasonOf: (error: unknown) => unknown;
};

const startWatch = (
  operation: string,
  timeoutMs: number,
  signals: readonly (AbortSignal | undefined)[],
): Watch => {
  const controller = new AbortController();
  const give = (failure: RestFailure): void => controller.abort(new RestCallError(operation, failure));
  const onAbort = (): void => give({ kind: 'aborted' });
  const start = () => setTimeout(() => give({ kind: 'timeout', timeoutMs }), timeoutMs);
  let timer = start();
  for (const each of signals) {
    each?.addEventListener('abort', onAbort);
    if (each?.aborted) onAbort();
  }
  return {
    signal: controller.signal,
    begin: () => {
      clearTimeout(timer);
      timer = start();
    },
    pause: () => clearTimeout(timer),
    stop: () => {
      clearTimeout(timer);
      for (const each of signals) each?.removeEventListener('abort', onAbort);
    },
    reasonOf: (error) => {
      if (controller.signal.aborted) return controller.signal.reason;
      return error instanceof RestCallError
        ? error
        : new RestCallError(operation, { kind: 'network' }, named(error));
    },
  };
};

/** Returns the safe part of a network error, which may carry headers. */
const named = (error: unknown): unknown =>
  error instanceof Error
    ? { name: error.name, code: (error.cause as { code?: unknown } | undefined)?.code }
    : undefined;

const resultOf = (operation: string, response: Response, type: string, text: string): unknown => {
  const { status, ok } = response;
  const value = parse(text);
  if (ok) {
    if (value === undefined) throw new RestCallError(operation, { kind: 'malformed', reason: 'not JSON' });
    return value;
  }
  const wait = response.headers.get('retry-after');
  const asked = wait !== null && /^\d+$/.test(wait) ? { retryAfterSeconds: Number(wait) } : {};
  if (!type.startsWith('application/problem+json') || !isProblem(value))
    throw new RestCallError(operation, { kind: 'http', status, ...asked });
  throw new RestCallError(operation, { kind: 'problem', status, code: value.code, problem: value, ...asked });
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isProblem = (value: unknown): value is ProblemBody =>
  typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string';

const streamOf = (operation: string, response: Response, watch: Watch): ItemStream<unknown> => {
  const announced = response.headers.get('x-wallet-count');
  const count = announced === null ? undefined : Number(announced);
  const isCsv = response.headers.get('content-type')?.startsWith('text/csv') ?? false;
  const text = () => textOf(response, watch);
  return itemStream({ count, text }, async function* () {
    let received = 0;
    try {
      for await (const item of isCsv ? readCsv(text()) : readJsonl(text())) {
        received += 1;
        yield item;
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw new RestCallError(operation, { kind: 'malformed', reason: 'a line is not JSON' });
    }
    if (count !== undefined && received !== count)
      throw new RestCallError(operation, { kind: 'truncated', expected: count, received });
  });
};

/** Items that are counted as they are read. */
export const itemStream = <T>(
  { count, text }: Pick<ItemStream<T>, 'count' | 'text'>,
  read: () => AsyncIterable<T>,
): ItemStream<T> => {
  let received = 0;
  return {
    count,
    text,
    get received() {
      return received;
    },
    async *[Symbol.asyncIterator]() {
      for await (const item of read()) {
        received += 1;
        yield item;
      }
    },
  };
};

async function* textOf(response: Response, watch: Watch): AsyncGenerator<string> {
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  const next = async () => {
    watch.begin();
    const part = await reader?.read();
    watch.pause();
    return part;
  };
  try {
    for (let part = await next(); part && !part.done; part = await next())
      yield decoder.decode(part.value, { stream: true });
  } catch (error) {
    throw watch.reasonOf(error);
  } finally {
    watch.stop();
    await reader?.cancel().catch(() => undefined);
  }
}

const present = (headers: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
