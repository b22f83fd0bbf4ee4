import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { idempotencyKeys } from '../../src/store/access-tables.ts';
import { eq } from '../../src/store/drizzle.ts';
import type { Signer } from '../../src/signer/signer.ts';
import { serviceError } from '../../src/core/service-error.ts';
import { wallets } from '../../src/store/wallet-tables.ts';
import { useWalletService } from './use-service.ts';

/** The signer fails with the batch that has this many keys behind it; undefined: never. */
let failAfter: number | undefined;
/** Called when the signer is asked for keys. */
let whenAsked = async (): Promise<void> => undefined;
const failing = (signer: Signer): Signer => ({
  ...signer,
  createMaster: async (...request) => {
    await whenAsked();
    return signer.createMaster(...request);
  },
  create: async (keys, options) => {
    await whenAsked();
    if (failAfter !== undefined) failAfter -= keys.length;
    if ((failAfter ?? 0) < 0) throw serviceError('signerUnavailable');
    return signer.create(keys, options);
  },
});

const service = useWalletService({ withSigner: failing });
const BATCH = { count: 1_500, custody: 'managed' };
const key = (text: string) => ({ 'idempotency-key': text });

test('a managed wallet is made once, whatever the order of members', async () => {
  const { send, balance } = await service().newAccount();
  const first = await send('POST', '/v1/wallets', { custody: 'managed', label: 'a' }, key('1'));
  const again = await send('POST', '/v1/wallets', { label: 'a', custody: 'managed' }, key('1'));
  expect(again.status).toBe(201);
  expect(await again.json()).toEqual(await first.json());
  expect(await balance()).toMatchObject({ charged: 1_000n });
  const other = await send('POST', '/v1/wallets', { custody: 'managed', label: 'b' }, key('1'));
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'idempotency_key_reused' }]);
});

test('secrets that were given out once are not kept: a repetition is told so, and is not charged', async () => {
  const { send, balance } = await service().newAccount();
  for (const [path, body] of [
    ['/v1/wallets', {}],
    ['/v1/wallets/batch', { count: 3 }],
    ['/v1/wallets/hd', { mnemonic_words: 12 }],
  ] as const) {
    await (await send('POST', path, body, key(path))).text();
    const again = await send('POST', path, body, key(path));
    expect([again.status, await again.json()]).toMatchObject([409, { code: 'idempotency_secret_not_kept' }]);
  }
  expect(await balance()).toMatchObject({ charged: 4_500n, reserved: 0n });
});

test('a refused request gives its key back', async () => {
  const { send, id } = await service().newAccount({ credit: 0n });
  expect((await send('POST', '/v1/wallets', { custody: 'managed' }, key('1'))).status).toBe(402);
  await service().credit(id, 1_000n);
  expect((await send('POST', '/v1/wallets', { custody: 'managed' }, key('1'))).status).toBe(201);
});

test('a managed batch is told again line by line, charged once', async () => {
  const { send, balance } = await service().newAccount();
  const first = await (await send('POST', '/v1/wallets/batch', BATCH, key('1'))).text();
  const again = await send('POST', '/v1/wallets/batch', BATCH, key('1'));
  expect(again.headers.get('x-wallet-count')).toBe('1500');
  expect(await again.text()).toBe(first);
  expect(await balance()).toMatchObject({ charged: 1_500_000n, reserved: 0n });
});

test('a managed batch that broke off continues where it was, and is charged for what it made', async () => {
  const { send, balance } = await service().newAccount();
  failAfter = 600;
  const broken = await send('POST', '/v1/wallets/batch', BATCH, key('1'));
  expect(broken.status).toBe(200);
  await expect(broken.text()).rejects.toThrow();
  failAfter = undefined;
  const { charged, reserved } = await balance();
  expect([charged > 0n && charged < 600_000n, reserved]).toEqual([true, 0n]);
  const lines = (await (await send('POST', '/v1/wallets/batch', BATCH, key('1'))).text())
    .trimEnd()
    .split('\n');
  expect(new Set(lines).size).toBe(1_500);
  expect(await balance()).toMatchObject({ charged: 1_500_000n, reserved: 0n });
});

test.each([
  ['batch', BATCH],
  ['tree', { custody: 'managed', accounts: { count: 600 } }],
])('a managed %s whose key was given to another request meanwhile makes nothing', async (what, body) => {
  const { id, send, balance } = await service().newAccount();
  whenAsked = async () => {
    const given = { claimId: randomUUID() };
    await service().store.db.update(idempotencyKeys).set(given).where(eq(idempotencyKeys.accountId, id));
  };
  const path = what === 'batch' ? '/v1/wallets/batch' : '/v1/wallets/hd';
  const answer = await send('POST', path, body, key('1'));
  whenAsked = async () => undefined;
  expect(await answer.text().catch(() => 'broken off')).not.toContain('wallet_id');
  const made = await service().store.db.$count(wallets, eq(wallets.accountId, id));
  expect([made, await balance()]).toMatchObject([0, { charged: 0n, reserved: 0n }]);
});

test('a managed tree that is asked for again has the same master and the same children', async () => {
  const { send, balance } = await service().newAccount();
  const body = { custody: 'managed', accounts: { count: 3 } };
  const first = await (await send('POST', '/v1/wallets/hd', body, key('1'))).json();
  expect(await (await send('POST', '/v1/wallets/hd', body, key('1'))).json()).toEqual(first);
  expect(await balance()).toMatchObject({ charged: 1_500n, reserved: 0n });
});

test('the same key at the same time is worked on once', async () => {
  const { send, balance } = await service().newAccount();
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => send('POST', '/v1/wallets', { custody: 'managed' }, key('1'))),
  );
  const codes = await Promise.all(
    answers.map(async (answer) => ((await answer.json()) as { code?: string }).code ?? 'made'),
  );
  expect(codes.filter((code) => code !== 'made' && code !== 'idempotency_key_in_use')).toEqual([]);
  expect(await balance()).toMatchObject({ charged: 1_000n });
});

test('the keys of two accounts have nothing to do with each other', async () => {
  const [one, other] = [await service().newAccount(), await service().newAccount()];
  const ask = (account: typeof one) => account.send('POST', '/v1/wallets', { custody: 'managed' }, key('1'));
  const [first, second] = [await (await ask(one)).json(), await (await ask(other)).json()];
  expect(first).not.toEqual(second);
});

test('a key that was used to sign with one wallet is refused for another, whose signature is not the same', async () => {
  const { client, send } = await service().newAccount();
  const sign = async (): Promise<Response> => {
    const wallet = await client.createWallet({ custody: 'managed' });
    const id = wallet.custody === 'managed' ? wallet.wallet_id : '';
    return send('POST', `/v1/wallets/${id}/sign`, { message: 'aGk=' }, key('1'));
  };
  expect((await sign()).status).toBe(200);
  const other = await sign();
  expect([other.status, await other.json()]).toMatchObject([409, { code: 'idempotency_key_reused' }]);
});

test('a signature is not told again once its wallet is destroyed', async () => {
  const { client, send, code, log } = await service().newAccount();
  const wallet = await client.createWallet({ custody: 'managed' });
  const id = wallet.custody === 'managed' ? wallet.wallet_id : '';
  const sign = () => send('POST', `/v1/wallets/${id}/sign`, { message: 'aGk=' }, key('1'));
  expect([(await sign()).status, (await sign()).status]).toEqual([200, 200]);
  await client.destroyWallet(id, { twoFactorCode: code() });
  expect((await sign()).status).toBe(404);
  const said = ['create ok', 'sign ok', 'sign replayed', 'destroy ok', 'sign wallet_not_found'];
  expect(await log()).toEqual(said);
});

test('a batch whose wallets are all destroyed since is told again with nothing but its columns', async () => {
  const { send, code } = await service().newAccount();
  const body = { count: 1, custody: 'managed', format: 'csv' };
  const [columns, line = ''] = (await (await send('POST', '/v1/wallets/batch', body, key('1'))).text()).split(
    '\r\n',
  );
  const [, , id] = line.split(',');
  await send('DELETE', `/v1/wallets/${id}`, undefined, { 'x-two-factor-code': code() });
  const again = await send('POST', '/v1/wallets/batch', body, key('1'));
  expect([again.headers.get('x-wallet-count'), await again.text()]).toEqual(['0', `${columns}\r\n`]);
});

test('a tree whose client leaves and comes again, many times, has one master and is charged once', async () => {
  const { send, id, token, balance } = await service().newAccount();
  const body = { custody: 'managed', accounts: { count: 700 } };
  const ask = (headers: Readonly<Record<string, string>>, signal?: AbortSignal) =>
    fetch(`${service().baseUrl}/v1/wallets/hd`, {
      method: 'POST',
      body: JSON.stringify(body),
      ...(signal && { signal }),
      headers: { ...headers, 'content-type': 'application/json' },
    });
  const authorization = `Bearer ${token}`;
  for (const waitMs of [5, 30, 60, 90, 120, 150]) {
    await ask({ ...key('1'), authorization }, AbortSignal.timeout(waitMs)).catch(() => undefined);
  }
  let answer = await send('POST', '/v1/wallets/hd', body, key('1'));
  while (answer.status === 409) answer = await send('POST', '/v1/wallets/hd', body, key('1'));
  const { wallets: children } = (await answer.json()) as { wallets: readonly unknown[] };
  expect([answer.status, children.length]).toEqual([200, 700]);
  const made = await service().store.db.select().from(wallets).where(eq(wallets.accountId, id));
  expect(made).toHaveLength(701);
  expect(await balance()).toMatchObject({ charged: 350_000n, reserved: 0n });
});
