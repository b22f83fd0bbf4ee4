import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { serviceError } from '../../src/core/service-error.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { type TestAccount, useWalletService } from './use-service.ts';

/** The behaviour of the signer; a stream gets keys of it once before it fails or hangs. */
type Way = 'works' | 'fails' | 'refuses' | 'hangs';

let way: Way = 'works';
let created = 0;
let isAsked = Promise.withResolvers<void>();
let hasLeft = Promise.withResolvers<void>();

const withWays = (signer: Signer): Signer => {
  const obey = async (signal: AbortSignal = AbortSignal.timeout(60_000)): Promise<void> => {
    isAsked.resolve();
    if (way === 'fails') throw serviceError('signerUnavailable');
    if (way === 'refuses') throw serviceError('walletNotFound');
    if (way !== 'hangs') return;
    await once(signal, 'abort');
    hasLeft.resolve();
    signal.throwIfAborted();
  };
  return {
    ...signer,
    create: async (keys, options) => {
      if (created++ > 0) await obey(options?.signal);
      return signer.create(keys, options);
    },
    sign: async (request, options) => {
      await obey(options?.signal);
      return signer.sign(request, options);
    },
  };
};

const service = useWalletService({ withSigner: withWays });

async function newWallet(account: TestAccount): Promise<string> {
  way = 'works';
  const made = await account.client.createWallet({ custody: 'managed' });
  return made.custody === 'managed' ? made.wallet_id : '';
}

const counted = (account: TestAccount, count: number) =>
  eventually('the answers are counted', () => {
    const answers = service().answers(account.id);
    return answers.length >= count ? answers : undefined;
  });

/** Counts what has been answered so far, by one more answer. */
async function lastly(account: TestAccount, before: number) {
  expect((await account.send('GET', '/v1/wallets')).status).toBe(200);
  return (await counted(account, before + 1)).slice(0, -1);
}

const sign = (account: TestAccount, id: string, signal?: AbortSignal) =>
  fetch(`${service().baseUrl}/v1/wallets/${id}/sign`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'aGk=' }),
    ...(signal === undefined ? {} : { signal }),
  });

test('answers with a result count, and streams once they are complete', async () => {
  const account = await service().newAccount();
  const id = await newWallet(account);
  expect((await sign(account, id)).status).toBe(200);
  await (await account.send('POST', '/v1/wallets/batch', { count: 300, custody: 'client' })).text();
  expect(await counted(account, 3)).toEqual(['ok', 'ok', 'ok']);
});

test('refused requests do not count, and requests without a valid token are of no account', async () => {
  const account = await service().newAccount({ credit: 0n });
  const key = { 'idempotency-key': 'k' };
  const statuses: number[] = [];
  const send = async (...request: Parameters<TestAccount['send']>) => {
    statuses.push((await account.send(...request)).status);
  };
  await send('POST', '/v1/wallets', { custody: 'managed' });
  await send('POST', '/v1/wallets', { custody: 'wrong' });
  await send('GET', '/v1/wallets/wlt_none');
  await send('GET', '/v1/nothing');
  await send('PUT', '/v1/wallets');
  await send('GET', '/v1/wallets', undefined, { authorization: 'Bearer ks_token_unknown' });
  await service().credit(account.id, 1_000_000n);
  await send('POST', '/v1/wallets', { custody: 'client' }, key);
  await send('POST', '/v1/wallets', { custody: 'managed' }, key);
  expect(statuses).toEqual([402, 400, 404, 404, 405, 401, 201, 409]);
  expect(await lastly(account, 1)).toEqual(['ok']);
});

test('a request that the service fails to answer counts as failed', async () => {
  const account = await service().newAccount();
  const id = await newWallet(account);
  way = 'fails';
  expect((await sign(account, id)).status).toBe(503);
  expect(await counted(account, 2)).toEqual(['ok', 'failed']);
});

const BATCH = { count: 10_000, custody: 'managed' };

test('a stream that the service breaks off counts as failed', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  [way, created] = ['fails', 0];
  const answer = await account.send('POST', '/v1/wallets/batch', BATCH);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  expect(await counted(account, 1)).toEqual(['failed']);
});

test('a stream that breaks off for what its caller has done does not count: no minute is made to fail', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  [way, created] = ['refuses', 0];
  const answer = await account.send('POST', '/v1/wallets/batch', BATCH);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow();
  expect(await lastly(account, 0)).toEqual([]);
});

test('a client that leaves while it waits, or in the middle of a stream, does not count', async () => {
  const account = await service().newAccount({ credit: 100_000_000n });
  const id = await newWallet(account);
  [way, created, isAsked] = ['hangs', 0, Promise.withResolvers()];
  const leave = new AbortController();
  const asked = sign(account, id, leave.signal);
  asked.catch(() => undefined);
  await isAsked.promise;
  leave.abort();
  await expect(asked).rejects.toThrow();
  await hasLeft.promise;
  [created, isAsked, hasLeft] = [0, Promise.withResolvers(), Promise.withResolvers()];
  const answer = await account.send('POST', '/v1/wallets/batch', BATCH);
  await isAsked.promise;
  await answer.body?.cancel();
  await hasLeft.promise;
  way = 'works';
  expect(await lastly(account, 1)).toEqual(['ok']);
});

test('a request that a stopping server cuts counts as failed', async () => {
  const account = await service().newAccount();
  const id = await newWallet(account);
  way = 'hangs';
  isAsked = Promise.withResolvers();
  const asked = sign(account, id);
  asked.catch(() => undefined);
  await isAsked.promise;
  await service().cut();
  await expect(asked).rejects.toThrow();
  expect(await counted(account, 2)).toEqual(['ok', 'failed']);
});
