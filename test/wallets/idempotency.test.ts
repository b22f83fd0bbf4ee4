import { expect, test } from 'vitest';
import type { Signer } from '../../src/signer/signer.ts';
import { serviceError } from '../../src/service-error.ts';
import { useWalletService } from './use-service.ts';

/** The signer fails with the batch that has this many keys behind it; undefined: never. */
let failAfter: number | undefined;
const failing = (signer: Signer): Signer => ({
  ...signer,
  create: async (keys, options) => {
    if (failAfter !== undefined) failAfter -= keys.length;
    if (failAfter !== undefined && failAfter < 0) throw serviceError('signerUnavailable');
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

test('a managed batch that broke off goes on where it was, and is charged for what it made', async () => {
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
