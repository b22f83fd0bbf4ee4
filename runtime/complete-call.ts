import {
  type IdempotentOptions,
  type ItemStream,
  itemStream,
  type RestCall,
  RestCallError,
  type RestRequest,
} from './rest-call.ts';

/** The options of a call that creates wallets. */
export type CreationOptions = IdempotentOptions & {
  /**
   * Number of wallets, including a master, that an earlier call with this idempotency key delivered: only the other charged wallets come.
   * Client custody only. A call requests them by itself when its connection breaks; this is for a program that was restarted.
   */
  readonly walletsReceived?: number;
};

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;
/** The request never reached a server. */
const UNSENT = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

/**
 * Calls that deliver everything they were charged for. If the connection breaks while wallets in client custody are created, the call is
 * repeated with its Idempotency-Key, or a new one: once, and for `timeoutMs` while the server is unreachable or still busy with the first
 * call. A batch in managed custody is repeated as long as each try delivers more. If wallets remain missing, the call ends with the error
 * of the first try.
 */
export const createCompleteCall =
  (send: RestCall, { timeoutMs = 30_000 }: { readonly timeoutMs?: number }): RestCall =>
  async (request) => {
    const { operation, headers = {}, body } = request;
    const isManaged = !isClientCustody(body);
    if (!('x-wallets-received' in headers) || (isManaged && operation !== 'createWalletBatch'))
      return send(request);
    const keyed = {
      ...request,
      headers: { ...headers, 'idempotency-key': headers['idempotency-key'] ?? newKey() },
    };
    const given = headers['x-wallets-received'];
    const answer = await send(keyed).catch((error: unknown) => {
      if (given === undefined && isUnanswered(error))
        return repeat({ send, timeoutMs, error }, isManaged ? [keyed] : [keyed, after(keyed, 0)]);
      // The server does not know yet that the program that sent the first call is gone.
      if (given !== undefined && codeOf(error) === 'idempotency_key_in_use')
        return repeat({ send, timeoutMs, error }, [keyed]);
      throw error;
    });
    if (!isStream(answer)) return answer;
    return (isManaged ? resumed : completed)({ send, timeoutMs }, keyed, answer);
  };

type Repeating = { readonly send: RestCall; readonly timeoutMs: number };

/** The items of a stream and, if it breaks off, the other charged ones. */
const completed = (
  repeating: Repeating,
  request: RestRequest,
  first: ItemStream<unknown>,
): ItemStream<unknown> =>
  itemStream(first, async function* () {
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
      // Only the end of the stream was lost.
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
    // The server had noticed the disconnect: wallets that it did not create were not charged.
    if (received < expected)
      throw new RestCallError(request.operation, { kind: 'truncated', expected, received }, broken);
  });

/**
 * The items of a managed batch. If it breaks off, the request is repeated, which returns all of them again: those after the last received
 * one are passed on.
 */
const resumed = (
  repeating: Repeating,
  request: RestRequest,
  first: ItemStream<unknown>,
): ItemStream<unknown> =>
  itemStream(first, async function* () {
    let [answer, last]: [unknown, string | undefined] = [first, undefined];
    for (let tries = 1; ; tries += 1) {
      if (!isStream(answer)) throw new RestCallError(request.operation, NOT_A_STREAM);
      const before: string | undefined = last;
      let isNew = before === undefined;
      let broken: unknown;
      try {
        for await (const item of answer) {
          const id = walletIdOf(item);
          if (isNew) {
            last = id;
            yield item;
          } else isNew = id === before;
        }
        if (isNew) return;
        broken = new RestCallError(request.operation, LOST_PLACE);
      } catch (error) {
        if (!isBroken(error)) throw error;
        broken = error;
      }
      if (last === before && tries > 1) throw broken;
      answer = await repeat({ ...repeating, error: broken }, [request]);
    }
  });

const NOT_A_STREAM = { kind: 'malformed', reason: 'not a stream' } as const;
const LOST_PLACE = { kind: 'malformed', reason: 'the last wallet that came is not in it' } as const;

/** Sends requests until one is answered: the next one if the server answers that the previous one is not the matching request. */
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

/** A tree from a new mnemonic continues with the mnemonic of its first line. */
const withWords = (request: RestRequest, mnemonic: string | undefined): RestRequest => {
  const { body } = request;
  if (request.operation !== 'createHdWallets' || mnemonic === undefined || !isObject(body)) return request;
  const { mnemonic_words: _, ...others } = body;
  return { ...request, body: { ...others, mnemonic } };
};

const mnemonicOf = (item: unknown): string | undefined =>
  isObject(item) && typeof item.mnemonic === 'string' ? item.mnemonic : undefined;

const walletIdOf = (item: unknown): string | undefined =>
  isObject(item) && typeof item.wallet_id === 'string' ? item.wallet_id : undefined;

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

/** True when a later try may succeed. */
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

/** Ends early when the call is cancelled, which the next try reports. */
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

/** 128 random bits; pages without TLS have no `randomUUID`. */
const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
