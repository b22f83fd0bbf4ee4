import {
  type IdempotentOptions,
  type ItemStream,
  type RestCall,
  RestCallError,
  type RestRequest,
} from './rest-call.ts';

/** What a call may have that creates wallets. */
export type CreationOptions = IdempotentOptions & {
  /**
   * How many wallets, a master counted, an earlier call with this idempotency key brought: those that it was charged for and did not
   * bring come. Client custody only. A call asks for them by itself where its connection breaks; this is for a program that was ended.
   */
  readonly walletsReceived?: number;
};

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** The request never reached a server. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Calls that bring what they were charged for. Where the connection breaks while wallets in client custody are created, the call is repeated
 * with its Idempotency-Key, a new one if it has none: once, and for `timeoutMs` while the server cannot be reached or is not done with the
 * first one. What cannot be had so ends in the error of the first try.
 */
export const createCompleteCall =
  (send: RestCall, { timeoutMs = 30_000 }: { readonly timeoutMs?: number }): RestCall =>
  async (request) => {
    const { headers = {}, body } = request;
    if (!('x-wallets-received' in headers) || !isClientCustody(body)) return send(request);
    const keyed = {
      ...request,
      headers: { ...headers, 'idempotency-key': headers['idempotency-key'] ?? newKey() },
    };
    const given = headers['x-wallets-received'];
    const answer = await send(keyed).catch((error: unknown) => {
      if (given === undefined && isUnanswered(error))
        return repeat({ send, timeoutMs, error }, [keyed, after(keyed, 0)]);
      // The server does not know yet that the program which asked first is gone.
      if (given !== undefined && codeOf(error) === 'idempotency_key_in_use')
        return repeat({ send, timeoutMs, error }, [keyed]);
      throw error;
    });
    return isStream(answer) ? completed({ send, timeoutMs }, keyed, answer) : answer;
  };

type Repeating = { readonly send: RestCall; readonly timeoutMs: number };

/** The items of a stream and, where it breaks off, those that it was charged for and did not bring. */
const completed = (
  repeating: Repeating,
  request: RestRequest,
  first: ItemStream<unknown>,
): ItemStream<unknown> => ({
  count: first.count,
  text: first.text,
  async *[Symbol.asyncIterator]() {
    const before = Number(request.headers?.['x-wallets-received'] ?? 0);
    let [received, words]: [number, string | undefined] = [0, undefined];
    let broken: unknown;
    try {
      for await (const item of first) {
        received += 1;
        words ??= mnemonicOf(item);
        yield item;
      }
      return;
    } catch (error) {
      if (!isBroken(error)) throw error;
      // Only its end was lost.
      if (received === first.count) return;
      broken = error;
    }
    const rest = after(withWords(request, words), before + received);
    const tries = before + received === 0 ? [rest, request] : [rest];
    const answer = await repeat({ ...repeating, error: broken }, tries);
    if (!isStream(answer)) throw broken;
    for await (const item of answer) {
      received += 1;
      yield item;
    }
    const { count: expected = received } = first;
    // The server had seen the client leave: what it did not make it did not charge.
    if (received < expected)
      throw new RestCallError(request.operation, { kind: 'truncated', expected, received }, broken);
  },
});

/** Sends requests until one is answered: the next one where the server says that the one before is not the right question. */
const repeat = async (
  { send, timeoutMs, error: first }: Repeating & { readonly error: unknown },
  requests: readonly RestRequest[],
): Promise<unknown> => {
  const endMs = Date.now() + timeoutMs;
  let [at, pauseMs] = [0, FIRST_PAUSE_MS];
  for (;;) {
    const request = requests[at];
    if (request === undefined) throw first;
    try {
      return await send(request);
    } catch (error) {
      if (
        codeOf(error) === 'idempotency_secret_not_kept' ||
        codeOf(error) === 'idempotency_nothing_charged'
      ) {
        at += 1;
        continue;
      }
      const waitMs = Math.max(pauseMs, waitOf(error));
      if (!mayPass(error) || Date.now() + waitMs > endMs) throw first;
      await pause(waitMs, request.signal);
      pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS);
    }
  }
};

const after = (request: RestRequest, received: number): RestRequest => ({
  ...request,
  headers: { ...request.headers, 'x-wallets-received': String(received) },
});

/** A tree of new words goes on with those of its first line. */
const withWords = (request: RestRequest, mnemonic: string | undefined): RestRequest => {
  const { body } = request;
  if (request.operation !== 'createHdWallets' || mnemonic === undefined || !isObject(body)) return request;
  const { mnemonic_words: _, ...others } = body;
  return { ...request, body: { ...others, mnemonic } };
};

const mnemonicOf = (item: unknown): string | undefined =>
  isObject(item) && typeof item.mnemonic === 'string' ? item.mnemonic : undefined;

const isClientCustody = (body: unknown): boolean =>
  isObject(body) && body.custody !== 'managed' && body.master_wallet_id === undefined;

const isStream = (answer: unknown): answer is ItemStream<unknown> =>
  isObject(answer) && Symbol.asyncIterator in answer;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isUnanswered = (error: unknown): boolean =>
  error instanceof RestCallError &&
  error.failure.kind === 'network' &&
  !UNSENT.has(String((error.cause as { code?: unknown } | undefined)?.code));

const isBroken = (error: unknown): boolean =>
  error instanceof RestCallError && ['network', 'timeout', 'truncated'].includes(error.failure.kind);

/** Whether a later try may be answered otherwise. */
const mayPass = (error: unknown): boolean => {
  if (!(error instanceof RestCallError)) return false;
  const { failure } = error;
  if (failure.kind === 'network') return true;
  if (failure.kind === 'http') return failure.status >= 502;
  return failure.kind === 'problem' && (failure.code === 'idempotency_key_in_use' || failure.status === 429);
};

const codeOf = (error: unknown): string | undefined =>
  error instanceof RestCallError && error.failure.kind === 'problem' ? error.failure.code : undefined;

const waitOf = (error: unknown): number =>
  error instanceof RestCallError && error.failure.kind === 'problem'
    ? (error.failure.retryAfterSeconds ?? 0) * 1000
    : 0;

/** Ends early where the call is given up; the next try says so. */
const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });

/** 128 random bits; `randomUUID` is not there in pages without TLS. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
