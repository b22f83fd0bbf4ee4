import { createPublicKey, verify } from 'node:crypto';
import { base58 } from '@scure/base';
import { expect, test } from 'vitest';
import type { ManagedWallet, Wallet } from '../../generated/wallets/types.ts';
import { useWalletService } from './use-service.ts';

const service = useWalletService();
const MINUTE_MS = 60_000;

function isSigned(address: string, message: string, signature: string): boolean {
  const x = Buffer.from(base58.decode(address)).toString('base64url');
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
  return verify(null, Buffer.from(message), key, base58.decode(signature));
}

function managed(wallet: Wallet): ManagedWallet {
  if (wallet.custody !== 'managed') throw new Error('not managed');
  return wallet;
}

test('a managed wallet is made, fetched, signs and is destroyed; each is charged and audited once', async () => {
  const { client, balance, code, log } = await service().newAccount();
  const made = managed(await client.createWallet({ custody: 'managed', label: 'deposit "1"' }));
  expect(made).toMatchObject({
    custody: 'managed',
    label: 'deposit "1"',
    wallet_id: expect.stringMatching(/^w_/),
  });
  const { wallet_id: id, address } = made;
  const found = await client.getWallet(id);
  expect(found).toMatchObject({ wallet_id: id, address, label: 'deposit "1"' });
  expect(found.key_protection).toContain('AES-256-GCM');
  const signed = await client.signWithWallet(id, { message: 'hello', encoding: 'utf8' });
  expect(isSigned(address, 'hello', signed.signature)).toBe(true);
  // As apps show it.
  const twoFactorCode = code().replace(/^.../, '$& ');
  const destroyed = await client.destroyWallet(id, { twoFactorCode });
  expect(destroyed).toEqual({
    wallet_id: id,
    address,
    destroyed_at: new Date(service().clock.nowMs()).toISOString(),
  });
  expect(await balance()).toMatchObject({ charged: 1_100n, reserved: 0n });
  expect(await log()).toEqual(['create ok', 'fetch ok', 'sign ok', 'destroy ok']);
});

test('every call on a destroyed wallet says that there is none, and its refusal is in the log', async () => {
  const { client, send, code, log } = await service().newAccount();
  const { wallet_id: id } = managed(await client.createWallet({ custody: 'managed' }));
  await client.destroyWallet(id, { twoFactorCode: code() });
  service().clock.set(service().clock.nowMs() + MINUTE_MS);
  const answers = [
    await send('GET', `/v1/wallets/${id}`),
    await send('POST', `/v1/wallets/${id}/sign`, { message: 'aGk=' }),
    await send('DELETE', `/v1/wallets/${id}`, undefined, { 'x-two-factor-code': code() }),
    await send('POST', '/v1/wallets/hd', { master_wallet_id: id }),
  ];
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 'wallet_not_found' });
  }
  expect((await log()).slice(2)).toEqual([
    'fetch wallet_not_found',
    'sign wallet_not_found',
    'destroy wallet_not_found',
    'create wallet_not_found',
  ]);
});

test('a code of the second factor works once, and five wrong ones lock it for 15 minutes', async () => {
  const { client, send, code } = await service().newAccount();
  const make = async () => managed(await client.createWallet({ custody: 'managed' })).wallet_id;
  const [first, second] = [await make(), await make()];
  const destroy = async (id: string, twoFactorCode: string) => {
    const answer = await send('DELETE', `/v1/wallets/${id}`, undefined, {
      'x-two-factor-code': twoFactorCode,
    });
    return ((await answer.json()) as { code?: string }).code;
  };
  const used = code();
  expect(await destroy(first, used)).toBe(undefined);
  expect(await destroy(second, used)).toBe('two_factor_invalid');
  const wrong = used === '000000' ? '000001' : '000000';
  for (let failure = 1; failure <= 5; failure += 1) {
    expect(await destroy(second, wrong)).toBe('two_factor_invalid');
  }
  service().clock.set(service().clock.nowMs() + MINUTE_MS);
  expect(await destroy(second, code())).toBe('two_factor_locked');
  service().clock.set(service().clock.nowMs() + 15 * MINUTE_MS);
  expect(await destroy(second, code())).toBe(undefined);
});

test('a message is signed as it is, whatever it is written in; what is not of its encoding is refused', async () => {
  const { client, send } = await service().newAccount();
  const { wallet_id: id, address } = managed(await client.createWallet({ custody: 'managed' }));
  const texts = {
    utf8: 'hé',
    base64: 'aMOp',
    hex: '68C3a9',
    base58: base58.encode(Buffer.from('hé')),
  } as const;
  for (const [encoding, message] of Object.entries(texts) as readonly [keyof typeof texts, string][]) {
    const { signature } = await client.signWithWallet(id, { message, encoding });
    expect(isSigned(address, 'hé', signature)).toBe(true);
  }
  const bad = [
    { message: 'a', encoding: 'base64' },
    { message: 'aMOp=', encoding: 'base64' },
    { message: '0O', encoding: 'base58' },
    { message: 'abc', encoding: 'hex' },
    { message: '\ud800', encoding: 'utf8' },
    { message: '00'.repeat(16_385), encoding: 'hex' },
    { message: '2'.repeat(4_097), encoding: 'base58' },
  ];
  for (const body of bad) {
    const answer = await send('POST', `/v1/wallets/${id}/sign`, body);
    expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ pointer: '/message' }] }]);
  }
  await client.signWithWallet(id, { message: '00'.repeat(16_384), encoding: 'hex' });
});

test('a label that no text can hold is refused with its place', async () => {
  const { send } = await service().newAccount();
  for (const label of ['a\u0000', 'a\nb', '\ud800']) {
    const answer = await send('POST', '/v1/wallets', { custody: 'managed', label });
    expect([answer.status, await answer.json()]).toMatchObject([400, { errors: [{ pointer: '/label' }] }]);
  }
});

test('a managed batch signs afterwards, is charged for and audited wallet by wallet', async () => {
  const { client, balance, log } = await service().newAccount();
  const wallets: ManagedWallet[] = [];
  for await (const wallet of await client.createWalletBatch({ count: 600, custody: 'managed' })) {
    wallets.push(managed(wallet));
  }
  expect(new Set(wallets.map(({ address }) => address)).size).toBe(600);
  for (const { wallet_id, address } of [wallets[0], wallets[599]].flatMap((wallet) => wallet ?? [])) {
    const { signature } = await client.signWithWallet(wallet_id, { message: 'x', encoding: 'utf8' });
    expect(isSigned(address, 'x', signature)).toBe(true);
  }
  expect(await balance()).toMatchObject({ charged: 600_200n, reserved: 0n });
  expect((await log()).filter((line) => line === 'create ok')).toHaveLength(600);
});

test('without enough money nothing is begun, and with exactly enough all is done', async () => {
  const poor = await service().newAccount({ credit: 1_999n });
  const refusal = await poor.send('POST', '/v1/wallets/batch', { count: 2, custody: 'managed' });
  expect([refusal.status, await refusal.json()]).toMatchObject([
    402,
    { code: 'balance_insufficient', required: 2_000, available: 1_999 },
  ]);
  expect(await poor.balance()).toMatchObject({ charged: 0n, reserved: 0n });
  const enough = await service().newAccount({ credit: 2_000n });
  expect((await enough.send('POST', '/v1/wallets/batch', { count: 2, custody: 'managed' })).status).toBe(200);
  expect(await enough.balance()).toMatchObject({ charged: 2_000n, available: 0n });
});
