import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { useWalletService } from './use-service.ts';

const service = useWalletService();

const loggedOf = (accountId: string) => service().logged.filter((row) => row.accountId === accountId);

test('each operation is noted under the id of its answer, and nothing that was sent or answered', async () => {
  const account = await service().newAccount();
  const made = await account.send('POST', '/v1/wallets', { custody: 'client', label: 'a private name' });
  const text = await made.text();
  const refused = await account.send('POST', '/v1/wallets', { custody: 'nobody' });
  const unfound = await account.send('GET', '/v1/wallets/w_none');
  await eventually('they are noted', () => (loggedOf(account.id).length === 3 ? true : undefined));
  const rows = loggedOf(account.id);
  expect(
    rows.map(({ requestId, protocol, method, callerKind, status, error }) => [
      requestId,
      protocol,
      method,
      callerKind,
      status,
      error,
    ]),
  ).toEqual([
    [made.headers.get('x-request-id'), 'wallets', 'createWallet', 'token', 201, undefined],
    [refused.headers.get('x-request-id'), 'wallets', 'createWallet', 'token', 400, 'body_invalid'],
    [unfound.headers.get('x-request-id'), 'wallets', 'getWallet', 'token', 404, 'wallet_not_found'],
  ]);
  expect(rows[0]).toMatchObject({
    bytesOut: text.length,
    bytesIn: expect.any(Number),
    durationUs: expect.any(Number),
  });
  const noted = JSON.stringify(rows);
  for (const part of [
    'a private name',
    JSON.parse(text).address,
    JSON.parse(text).secret_key,
    'w_none',
    account.token,
  ])
    expect(noted).not.toContain(part);
  expect(rows.every((row) => row.params === undefined)).toBe(true);
});

test('a token without the scope is noted for its account; a request of nobody is not', async () => {
  const account = await service().newAccount({ scopes: ['wallets:read'] });
  const before = service().logged.length;
  const refused = await account.send('POST', '/v1/wallets', {});
  await account.send('POST', '/v1/wallets', {}, { authorization: 'Bearer ks_tok_nobody' });
  await account.send('GET', '/v1/wallets');
  await eventually('they are noted', () => (service().logged.length === before + 2 ? true : undefined));
  expect(loggedOf(account.id).map(({ requestId, status, error }) => [requestId, status, error])).toEqual([
    [refused.headers.get('x-request-id'), 403, 'scope_missing'],
    [expect.any(String), 200, undefined],
  ]);
});
