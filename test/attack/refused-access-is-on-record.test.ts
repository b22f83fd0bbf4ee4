import { eq } from '../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import { NO_ACCOUNT } from '../../src/account/identity/refusal-log.ts';
import { verifyAudit } from '../../src/account/audit/verify-audit.ts';
import { createKeyText } from '../../src/account/identity/api-keys/key-text.ts';
import { createToken, revokeToken } from '../../src/account/identity/tokens/access-tokens.ts';
import { setCreateLimit } from '../../src/account/plans/wallet-create-limit.ts';
import { auditRecords } from '../../src/store/audit-tables.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type TestAccount, useWalletService } from '../wallets/use-service.ts';

const MINUTE_MS = 60_000;
const service = useWalletService({ env: { KEYSLOT_BEHIND_PROXY: '1' } });

async function ask(token: string | undefined, path: string, how: RequestInit = {}, address = '192.0.2.1') {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const headers = { ...authorization, 'x-forwarded-for': address, ...(how.headers as object) };
  const answer = await fetch(`${service().baseUrl}/v1/wallets${path}`, { ...how, headers });
  await answer.text();
  return answer.status;
}

const post = (body: string, type = 'application/json'): RequestInit => ({
  method: 'POST',
  body,
  headers: { 'content-type': type },
});

/** A token of an account, by its id. */
async function newToken({ id }: Pick<TestAccount, 'id'>, expiresAtMs?: number) {
  const { store, tokens, clock } = service();
  const wanted = { accountId: id, name: 't', scopes: ['wallets:create'] as const, expiresAtMs };
  return await createToken({ store, tokens }, wanted, clock.nowMs());
}

async function recordsOf(accountId: string) {
  const rows = await service()
    .store.db.select()
    .from(auditRecords)
    .where(eq(auditRecords.accountId, accountId));
  return rows.sort((a, b) => a.seq - b.seq);
}

/** Ends the minute of the service's clock, and waits for what is on record then. */
async function endMinute(accountId: string, records: number) {
  service().clock.set(service().clock.nowMs() + MINUTE_MS);
  return await eventually('the minute is on record', async () => {
    const rows = await recordsOf(accountId);
    return rows.length >= records ? rows : undefined;
  });
}

const told = (rows: Awaited<ReturnType<typeof recordsOf>>) =>
  rows.map(({ action, outcome, tokenId, address, units }) => ({ action, outcome, tokenId, address, units }));

test('refusals of one client are one row a minute, with their reason, address and number', async () => {
  const { store, tokens, clock } = service();
  const account = await service().newAccount();
  const [good, revoked, expired] = [
    await newToken(account),
    await newToken(account),
    await newToken(account, clock.nowMs() - 1),
  ];
  await revokeToken({ store, tokens }, revoked.id, clock.nowMs());
  for (let sent = 0; sent < 3; sent += 1) expect(await ask(good.text, '/w_1')).toBe(403);
  expect(await ask(good.text, '/w_1', {}, '192.0.2.2')).toBe(403);
  expect(await ask(revoked.text, '', post('{}'))).toBe(401);
  expect(await ask(expired.text, '', post('{}'))).toBe(401);
  for (let sent = 0; sent < 2; sent += 1) expect(await ask(good.text, '', post('{"a":1}'))).toBe(400);
  expect(await ask(good.text, '', post('{}', 'text/plain'))).toBe(415);
  await setCreateLimit(service(), account.id, 1);
  const limited = [await ask(good.text, '', post('{')), await ask(good.text, '', post('{'))];
  expect(limited).toContain(429);
  expect(await recordsOf(account.id)).toEqual([]);

  const rows = await endMinute(account.id, 7);
  const from = { address: '192.0.2.1', units: 1 };
  expect(told(rows)).toEqual(
    expect.arrayContaining([
      { ...from, action: 'fetch', outcome: 'scope_missing', tokenId: good.id, units: 3 },
      { ...from, action: 'fetch', outcome: 'scope_missing', tokenId: good.id, address: '192.0.2.2' },
      { ...from, action: 'create', outcome: 'token_revoked', tokenId: revoked.id },
      { ...from, action: 'create', outcome: 'token_expired', tokenId: expired.id },
      { ...from, action: 'create', outcome: 'content_type_not_allowed', tokenId: good.id },
      expect.objectContaining({ action: 'create', outcome: 'body_invalid', tokenId: good.id }),
      expect.objectContaining({ action: 'create', outcome: 'wallet_rate_limited', tokenId: good.id }),
    ]),
  );
  expect(rows).toHaveLength(7);
  const places = { store, headsFile: '/nowhere', trustedKeys: [] };
  expect((await verifyAudit(places, account.id)).isSound).toBe(true);
});

test('what comes with no known token is nobody’s: an address and a count, and nothing of what was sent', async () => {
  const before = (await recordsOf(NO_ACCOUNT)).length;
  const unknown = createKeyText('ks_tok_');
  for (let sent = 0; sent < 4; sent += 1) expect(await ask(unknown, '/w_secret', {}, '192.0.2.9')).toBe(401);
  expect(await ask(undefined, '/w_secret', {}, '192.0.2.9')).toBe(401);
  const rows = (await endMinute(NO_ACCOUNT, before + 2)).slice(before);
  expect(told(rows)).toEqual([
    { action: 'access', outcome: 'token_unknown', tokenId: null, address: '192.0.2.9', units: 4 },
    { action: 'access', outcome: 'token_missing', tokenId: null, address: '192.0.2.9', units: 1 },
  ]);
  expect(JSON.stringify(rows)).not.toMatch(/ks_tok_|w_secret/);
});

test('a flood from many addresses is 100 rows a minute and one for the others', async () => {
  const before = (await recordsOf(NO_ACCOUNT)).length;
  for (let sent = 0; sent < 130; sent += 1) await ask(undefined, '/w_1', {}, `203.0.113.${sent}`);
  const rows = (await endMinute(NO_ACCOUNT, before + 101)).slice(before);
  expect(rows).toHaveLength(101);
  expect(told(rows).at(-1)).toEqual({
    action: 'access',
    outcome: 'others',
    tokenId: null,
    address: null,
    units: 30,
  });
});

test('what an operation refuses says where it came from', async () => {
  const account = await service().newAccount();
  expect(await ask(account.token, '/w_8iUJPsBQGcwe8SGq9nvuTc')).toBe(404);
  expect(told(await recordsOf(account.id))).toMatchObject([
    { action: 'fetch', outcome: 'wallet_not_found', address: '192.0.2.1' },
  ]);
});
