import { expect, test } from 'vitest';
import { createToken } from '../../src/account/identity/tokens/access-tokens.ts';
import { unlockTwoFactor } from '../../src/account/identity/two-factor/two-factor.ts';
import { type TestAccount, useWalletService } from '../wallets/use-service.ts';

const MINUTE_MS = 60_000;
const service = useWalletService({ env: { KEYSLOT_BEHIND_PROXY: '1' } });

async function makeWallet({ send }: TestAccount): Promise<string> {
  const made = await send('POST', '/v1/wallets', { custody: 'managed' });
  return ((await made.json()) as { wallet_id: string }).wallet_id;
}

/** Another token of an account, for destroying alone. */
async function otherTokenOf({ id }: TestAccount): Promise<string> {
  const { store, tokens } = service();
  const wanted = {
    accountId: id,
    name: 'other',
    scopes: ['wallets:destroy'] as const,
    expiresAtMs: undefined,
  };
  return (await createToken({ store, tokens }, wanted, service().clock.nowMs())).text;
}

/** The code of the problem; undefined: the wallet is destroyed. */
async function destroy(token: string, id: string, code: string, address = '192.0.2.1') {
  const headers = {
    authorization: `Bearer ${token}`,
    'x-two-factor-code': code,
    'x-forwarded-for': address,
  };
  const answer = await fetch(`${service().baseUrl}/v1/wallets/${id}`, { method: 'DELETE', headers });
  return ((await answer.json()) as { code?: string }).code;
}

const wrongFor = (code: string): string => (code === '000000' ? '000001' : '000000');

test('a code that was used is no guess, however often it is sent', async () => {
  const account = await service().newAccount();
  const [first, second] = [await makeWallet(account), await makeWallet(account)];
  const code = account.code();
  expect(await destroy(account.token, first, code)).toBeUndefined();
  for (let sent = 0; sent < 10; sent += 1)
    expect(await destroy(account.token, second, code)).toBe('two_factor_invalid');
  service().clock.set(service().clock.nowMs() + 3 * MINUTE_MS);
  for (let sent = 0; sent < 10; sent += 1)
    expect(await destroy(account.token, second, code)).toBe('two_factor_invalid');
  expect(await destroy(account.token, second, account.code())).toBeUndefined();
});

test('a token that guesses is locked, and the other tokens of the account are not', async () => {
  const account = await service().newAccount();
  const id = await makeWallet(account);
  const thief = await otherTokenOf(account);
  const wrong = wrongFor(account.code());
  for (let guess = 0; guess < 5; guess += 1)
    expect(await destroy(thief, id, wrong)).toBe('two_factor_invalid');
  expect(await destroy(thief, id, account.code())).toBe('two_factor_locked');
  expect(await destroy(account.token, id, account.code())).toBeUndefined();
});

test('a token cannot lock the account from many addresses, for as long as it likes', async () => {
  const account = await service().newAccount();
  const thief = await otherTokenOf(account);
  for (let quarter = 0; quarter < 4; quarter += 1) {
    const wrong = wrongFor(account.code());
    const id = await makeWallet(account);
    const found: (string | undefined)[] = [];
    for (let guess = 0; guess < 40; guess += 1)
      found.push(await destroy(thief, id, wrong, `198.51.100.${guess}`));
    expect(found.filter((code) => code === 'two_factor_invalid')).toHaveLength(10);
    expect(found.slice(10).every((code) => code === 'two_factor_locked')).toBe(true);
    expect(await destroy(account.token, id, account.code())).toBeUndefined();
    service().clock.set(service().clock.nowMs() + 15 * MINUTE_MS);
  }
});

test('guessing with many tokens locks the account, and its operator lifts that', async () => {
  const account = await service().newAccount();
  const id = await makeWallet(account);
  const wrong = wrongFor(account.code());
  for (let token = 0; token < 6; token += 1) {
    const thief = await otherTokenOf(account);
    for (let guess = 0; guess < 5; guess += 1) await destroy(thief, id, wrong);
  }
  expect(await destroy(account.token, id, account.code())).toBe('two_factor_locked');
  await unlockTwoFactor(service().store, account.id);
  expect(await destroy(account.token, id, account.code())).toBeUndefined();
});
