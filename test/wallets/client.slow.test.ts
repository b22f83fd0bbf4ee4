import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  createWalletClient,
  isWalletError,
  RestCallError,
  type WalletClientOptions,
} from '../../generated/wallets/client.ts';
import { type RestMock, startRestMock } from '../../src/devkit/mock/rest-mock.ts';

const ADDRESS = 'http://127.0.0.1:1';
const JSONL = { 'content-type': 'application/jsonl', 'x-wallet-count': '2' };
const LINE = '{"address":"a","custody":"client","secret_key":"s","created_at":"t"}\n';
const PROBLEM = { 'content-type': 'application/problem+json', 'retry-after': '12' };

/** A client whose server answers every call so; what it was sent is kept. */
const clientOf = (response: () => Response, options: Partial<WalletClientOptions> = {}) => {
  const sent: { readonly url: string; readonly init: RequestInit }[] = [];
  const send = async (url: unknown, init: RequestInit = {}): Promise<Response> => {
    sent.push({ url: String(url), init });
    return response();
  };
  return { sent, client: createWalletClient({ url: ADDRESS, token: 'the token', fetch: send, ...options }) };
};

const failureOf = async (call: Promise<unknown>): Promise<RestCallError['failure']> => {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RestCallError) return error.failure;
  throw new Error(`the call did not fail with a RestCallError: ${String(error)}`);
};

const all = async <T>(items: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
};

/** A body that comes in these parts. */
const parts = (...texts: readonly string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start: (controller) => {
      for (const text of texts) controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });

describe('the generated wallet client', () => {
  it('sends the token, the body and the idempotency key', async () => {
    const { sent, client } = clientOf(() => Response.json({ address: 'a' }, { status: 201 }), {
      url: `${ADDRESS}/below/`,
    });
    await client.createWallet({ custody: 'managed' }, { idempotencyKey: 'k1' });
    expect(sent[0]).toMatchObject({
      url: `${ADDRESS}/below/v1/wallets`,
      init: {
        method: 'POST',
        body: '{"custody":"managed"}',
        headers: {
          authorization: 'Bearer the token',
          'content-type': 'application/json',
          'idempotency-key': 'k1',
        },
      },
    });
  });

  it('waits for its reader as long as that takes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { client } = clientOf(() => new Response(parts(LINE, LINE), { headers: JSONL }));
      const seen: unknown[] = [];
      for await (const wallet of await client.createWalletBatch({ count: 2 })) {
        seen.push(wallet);
        vi.advanceTimersByTime(3_600_000);
      }
      expect(seen).toHaveLength(2);
    } finally {
      vi.useRealTimers();
    }
  });

  it('puts an id into the path whatever is in it, and the code into a header', async () => {
    const { sent, client } = clientOf(() => Response.json({}));
    await client.destroyWallet('../a?b', { twoFactorCode: '123456' });
    expect(sent[0]).toMatchObject({
      url: `${ADDRESS}/v1/wallets/..%2Fa%3Fb`,
      init: { method: 'DELETE', headers: { 'x-two-factor-code': '123456' } },
    });
    expect(sent[0]?.init.body).toBeUndefined();
  });

  it('answers a stream line by line, however it is cut', async () => {
    const { client } = clientOf(
      () =>
        new Response(parts(LINE.slice(0, 9), `${LINE.slice(9)}${LINE.slice(0, -1)}`, '\n'), {
          headers: JSONL,
        }),
    );
    const stream = await client.createWalletBatch({ count: 2 });
    expect(stream.count).toBe(2);
    expect(await all(stream)).toEqual([JSON.parse(LINE), JSON.parse(LINE)]);
  });

  it('reads a CSV into the same records, with quotes and line breaks in fields, and gives its text', async () => {
    const csv =
      'address,custody,mnemonic,created_at\r\na,client,"one, ""two""\r\nthree",t\r\nb,managed,,t\r\n';
    const { client } = clientOf(
      () =>
        new Response(parts(csv.slice(0, 55), csv.slice(55)), {
          headers: { ...JSONL, 'content-type': 'text/csv; charset=utf-8' },
        }),
    );
    expect(await all(await client.createHdWallets({ format: 'csv' }))).toEqual([
      { address: 'a', custody: 'client', mnemonic: 'one, "two"\r\nthree', created_at: 't' },
      { address: 'b', custody: 'managed', created_at: 't' },
    ]);
    expect((await all((await client.createHdWallets({ format: 'csv' })).text())).join('')).toBe(csv);
  });

  it('says that a stream was broken off', async () => {
    const { client } = clientOf(() => new Response(parts(LINE, LINE.slice(0, 5)), { headers: JSONL }));
    const failure = await failureOf(client.createWalletBatch({ count: 2 }).then(all));
    expect(failure).toEqual({ kind: 'truncated', expected: 2, received: 1 });
  });

  it('says that a line is no JSON, without telling the line', async () => {
    const { client } = clientOf(() => new Response('secret seed\n', { headers: JSONL }));
    const error = await client
      .createWalletBatch({ count: 2 })
      .then(all)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ failure: { kind: 'malformed' } });
    expect(String(error)).not.toContain('seed');
  });

  it('throws a problem with its code, its members and the time to wait', async () => {
    const { client } = clientOf(
      () =>
        new Response('{"code":"wallet_rate_limited","detail":"Wait.","status":429,"limit":1000}', {
          status: 429,
          headers: PROBLEM,
        }),
    );
    const error: unknown = await client.createWallet({}).catch((reason: unknown) => reason);
    expect(isWalletError(error, 'wallet_rate_limited') && error.failure.problem.limit).toBe(1000);
    expect(isWalletError(error, 'wallet_not_found')).toBe(false);
    expect(error).toMatchObject({ failure: { kind: 'problem', status: 429, retryAfterSeconds: 12 } });
    expect(String(error)).toBe('RestCallError: createWallet: Wait. (wallet_rate_limited)');
  });

  it.each([
    ['a page of a proxy', new Response('<html>', { status: 502 }), { kind: 'http', status: 502 }],
    ['no JSON', new Response('<html>', { status: 200 }), { kind: 'malformed', reason: 'not JSON' }],
  ] as const)('tells %s from a problem', async (_, response, failure) => {
    const { client } = clientOf(() => response);
    expect(await failureOf(client.getWallet('w_1'))).toEqual(failure);
  });

  it('tells the token to nobody', async () => {
    const { client } = clientOf(() => {
      throw new TypeError('fetch failed: Bearer the token', { cause: { code: 'ECONNREFUSED' } });
    });
    const error = (await client.createWallet({}).catch((reason: unknown) => reason)) as RestCallError;
    expect(error.failure).toEqual({ kind: 'network' });
    expect(JSON.stringify([error, error.message, error.cause])).not.toContain('the token');
  });

  it('gives up at a signal of the call or of the client', async () => {
    const { client } = clientOf(() => Response.json({}), { signal: AbortSignal.abort() });
    expect(await failureOf(client.getWallet('w_1'))).toEqual({ kind: 'aborted' });
    const other = clientOf(() => Response.json({})).client;
    expect(await failureOf(other.getWallet('w_1', { signal: AbortSignal.abort() }))).toEqual({
      kind: 'aborted',
    });
  });
});

describe('against a server', () => {
  const withServer = async <T>(answer: RequestListener, work: (url: string) => Promise<T>): Promise<T> => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  };

  it('closes the connection of a stream that is left', async () => {
    let closed: Promise<unknown> = Promise.resolve();
    await withServer(
      (_, response) => {
        closed = once(response, 'close');
        response.writeHead(200, { ...JSONL, 'x-wallet-count': '1000' }).write(LINE);
      },
      async (url) => {
        const client = createWalletClient({ url, token: 't' });
        for await (const wallet of await client.createWalletBatch({ count: 1000 })) {
          expect(wallet.custody).toBe('client');
          break;
        }
        await closed;
      },
    );
  });

  it('says that the connection broke in a stream, and that nothing more came in time', async () => {
    await withServer(
      ({ headers }, response) => {
        response.writeHead(200, JSONL).write(LINE);
        if (headers['idempotency-key'] === 'break') setImmediate(() => response.destroy());
      },
      async (url) => {
        const installation = createWalletClient({ url, token: 't' });
        const broken = installation.createWalletBatch({ count: 2 }, { idempotencyKey: 'break' }).then(all);
        expect(await failureOf(broken)).toEqual({ kind: 'network' });
        const client = createWalletClient({ url, token: 't', timeoutMs: 300 });
        expect(await failureOf(client.createWalletBatch({ count: 2 }).then(all))).toEqual({
          kind: 'timeout',
          timeoutMs: 300,
        });
      },
    );
  });
});

describe('against the mock', () => {
  let mock: RestMock;
  beforeAll(async () => {
    mock = await startRestMock('127.0.0.1', 0);
  });
  afterAll(() => mock?.close());

  it('has an answer of every operation', async () => {
    const client = createWalletClient({ url: mock.url, token: 'any' });
    expect(await client.createWallet({})).toMatchObject({ custody: 'client' });
    expect(await all(await client.createWalletBatch({ count: 2 }))).toHaveLength(2);
    expect((await client.createHdWallets({ accounts: { count: 2 } })).wallets.length).toBeGreaterThan(0);
    expect(await client.getWallet('w_1')).toMatchObject({ custody: 'managed' });
    expect(await client.signWithWallet('w_1', { message: 'aGVsbG8=' })).toHaveProperty('signature');
    expect(await client.destroyWallet('w_1', { twoFactorCode: '123456' })).toHaveProperty('destroyed_at');
    const refused = await client.createWalletBatch({ count: 0 }).catch((reason: unknown) => reason);
    expect(refused).toMatchObject({ failure: { kind: 'problem' } });
  });
});
