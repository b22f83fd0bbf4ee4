import { describe, expect, it, vi } from 'vitest';
import {
  CallError,
  type ClientOptions,
  createLedgerClient,
  errorNameOf,
} from '../../generated/ledger/client.ts';

const ADDRESS = '11111111111111111111111111111111';

/** A client whose server answers every call so; what it was sent is kept. */
const clientOf = (body: string, status = 200) => {
  const sent: { readonly url: string; readonly body: string }[] = [];
  const send = async (url: unknown, request: RequestInit = {}): Promise<Response> => {
    sent.push({ url: String(url), body: String(request.body) });
    return new Response(body, { status });
  };
  return {
    sent,
    client: createLedgerClient({ url: 'http://127.0.0.1:1/solana-localnet', apiKey: 'the key', fetch: send }),
  };
};

const failureOf = async (call: Promise<unknown>): Promise<CallError> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof CallError) return error;
  throw new Error('the call did not fail with a CallError');
};

describe('the generated client', () => {
  it('sends positional params with exact integers, and the key as a query parameter', async () => {
    const { sent, client } = clientOf(
      '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":1,"apiVersion":"1"},"value":1}}',
    );
    await client.getBalance(ADDRESS, { minContextSlot: 2n ** 64n - 1n });
    expect(sent).toEqual([
      {
        url: 'http://127.0.0.1:1/solana-localnet?apikey=the+key',
        body: `{"jsonrpc":"2.0","id":1,"method":"getBalance","params":["${ADDRESS}",{"minContextSlot":18446744073709551615}]}`,
      },
    ]);
  });

  it('answers wide integers as bigint, small or large, and others as numbers', async () => {
    const account =
      '{"lamports":5,"data":["","base64"],"owner":"x","executable":false,"rentEpoch":18446744073709551615,"space":0}';
    const { client } = clientOf(
      `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":7,"apiVersion":"1"},"value":${account}}}`,
    );
    expect(await client.getAccountInfo(ADDRESS)).toEqual({
      context: { slot: 7n, apiVersion: '1' },
      value: {
        lamports: 5n,
        data: ['', 'base64'],
        owner: 'x',
        executable: false,
        rentEpoch: 2n ** 64n - 1n,
        space: 0n,
      },
    });
  });

  it('finds the branch of a union', async () => {
    const token = `{"program":"spl-token","parsed":{"type":"mint","info":{"mintAuthority":null,"supply":"1","decimals":9,"isInitialized":true,"freezeAuthority":null}},"space":82}`;
    const account = `{"lamports":5,"data":${token},"owner":"x","executable":false,"rentEpoch":0,"space":82}`;
    const { client } = clientOf(
      `{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":7,"apiVersion":"1"},"value":${account}}}`,
    );
    const { value } = await client.getAccountInfo(ADDRESS);
    expect(value?.data).toMatchObject({ parsed: { info: { decimals: 9, supply: '1' } }, space: 82n });
  });

  it('throws the error of the reply, by its catalogue name', async () => {
    const { client } = clientOf(
      '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Too many inputs provided; max 100"}}',
    );
    const error = await failureOf(client.getMultipleAccounts([]));
    expect(error.failure).toMatchObject({ kind: 'rpc', status: 200, code: -32602 });
    expect(errorNameOf(error)).toBe('tooManyInputs');
  });

  it('throws the error of a refusal that comes with a status of its own, with its data', async () => {
    const message =
      'Rate limit of the plan free reached: 50 in 5000 ms, 0 left, 1 requested; try again in 3 s';
    const error = `{"code":-32070,"message":"${message}","data":{"retryAfterSeconds":3}}`;
    const refused = await failureOf(
      clientOf(`{"jsonrpc":"2.0","id":null,"error":${error}}`, 429).client.getSlot(),
    );
    expect(refused.failure).toMatchObject({
      kind: 'rpc',
      status: 429,
      code: -32070,
      data: { retryAfterSeconds: 3 },
    });
    expect(errorNameOf(refused)).toBe('rateLimited');
  });

  it('tells a refusal of the transport from an invalid reply', async () => {
    const refused = await failureOf(clientOf('Bad Gateway', 502).client.getSlot());
    expect(refused.failure).toEqual({ kind: 'http', status: 502 });
    const malformed = await failureOf(clientOf('<html>').client.getSlot());
    expect(malformed.failure).toEqual({ kind: 'malformed', reason: 'not JSON' });
    const empty = await failureOf(clientOf('{"jsonrpc":"2.0","id":1}').client.getSlot());
    expect(empty.failure).toEqual({ kind: 'malformed', reason: 'neither result nor error' });
  });

  it.each(['{"code":"x","message":"m"}', '{"code":-32000}', '{"message":"m"}', '{}'])(
    'takes the error object %s for none',
    async (error) => {
      const text = `{"jsonrpc":"2.0","id":1,"error":${error}}`;
      const reason = 'an error without a code or a message';
      expect((await failureOf(clientOf(text).client.getSlot())).failure).toEqual({
        kind: 'malformed',
        reason,
      });
      const refused = await failureOf(clientOf(text, 503).client.getSlot());
      expect(refused.failure).toEqual({ kind: 'http', status: 503 });
    },
  );

  it('keeps the key out of network errors', async () => {
    const fetchThatFails = () =>
      Promise.reject(new TypeError('fetch failed: http://127.0.0.1:1/?apikey=secret'));
    const client = createLedgerClient({
      url: 'http://127.0.0.1:1/',
      apiKey: 'secret',
      fetch: fetchThatFails,
    });
    const error = await failureOf(client.getSlot());
    expect(error.failure).toEqual({ kind: 'network' });
    expect(`${error.stack} ${JSON.stringify(error)} ${JSON.stringify(error.cause)}`).not.toContain('secret');
  });

  it('takes no answer to another call for its own', async () => {
    const { client } = clientOf('{"jsonrpc":"2.0","id":7,"result":5}');
    expect((await failureOf(client.getSlot())).failure).toEqual({
      kind: 'malformed',
      reason: 'the id is of another call',
    });
  });

  it('fails when no answer comes in time', async () => {
    const { client, signals } = silentClient({ timeoutMs: 5 });
    expect((await failureOf(client.getSlot())).failure).toEqual({ kind: 'timeout', timeoutMs: 5 });
    expect(signals[0]?.aborted).toBe(true);
  });

  it('fails when the answer begins in time and does not end', async () => {
    const stalled = async (_: unknown, request: RequestInit = {}): Promise<Response> =>
      new Response(
        new ReadableStream({
          start: (body) => {
            body.enqueue(new TextEncoder().encode('{"jsonrpc"'));
            request.signal?.addEventListener('abort', () => body.error(request.signal?.reason));
          },
        }),
      );
    const client = createLedgerClient({ url: 'http://127.0.0.1:1/', fetch: stalled, timeoutMs: 5 });
    expect((await failureOf(client.getSlot())).failure).toEqual({ kind: 'timeout', timeoutMs: 5 });
  });

  it('gives calls up when its signal says so, and sends none afterwards', async () => {
    const controller = new AbortController();
    const { client, signals } = silentClient({ signal: controller.signal });
    const call = client.getSlot();
    controller.abort();
    expect((await failureOf(call)).failure).toEqual({ kind: 'aborted' });
    expect((await failureOf(client.getSlot())).failure).toEqual({ kind: 'aborted' });
    expect(signals).toHaveLength(1);
  });

  it('holds no timer and no listener once a call is over', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    const send = async () => new Response('{"jsonrpc":"2.0","id":1,"result":5}');
    const client = createLedgerClient({ url: 'http://127.0.0.1:1/', fetch: send, signal: controller.signal });
    expect(await client.getSlot()).toBe(5n);
    expect(vi.getTimerCount()).toBe(0);
    expect(removed).toHaveBeenCalledOnce();
    vi.useRealTimers();
  });
});

/** A client whose server never answers; the signals of its requests are kept. */
function silentClient(options: Pick<ClientOptions, 'timeoutMs' | 'signal'>) {
  const signals: (AbortSignal | null | undefined)[] = [];
  const send = (_: unknown, { signal }: RequestInit = {}): Promise<Response> => {
    signals.push(signal);
    return new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  };
  return { signals, client: createLedgerClient({ url: 'http://127.0.0.1:1/', fetch: send, ...options }) };
}
