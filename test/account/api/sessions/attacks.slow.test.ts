import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../../../generated/account/operations.ts';
import { findPostgres, POSTGRES_MISSING } from '../../../support/postgres.ts';
import { addCredit, command } from '../../../support/wallet-account.ts';
import { ledgerCallOf } from './call-ledger.ts';
import { type Login, PASSWORD } from '../live/provision-members.ts';
import { holdRequest } from './hold-request.ts';
import { type MemberServer, sessionIn, startMemberServer } from './member-server.ts';

const SESSION = '/account/v1/session';
const EVIL = 'https://evil.example';

const postgres = await findPostgres();

if (postgres === undefined) test('sessions withstand attacks', (context) => context.skip(POSTGRES_MISSING));
else describe('an attacker', () => attackers(postgres));

function attackers(postgresUrl: string): void {
  let world: MemberServer;
  let accountId: string;
  beforeAll(async () => {
    world = await startMemberServer(postgresUrl);
    accountId = await world.members.accountIdOf('attacked');
    await addCredit(world.server.dataDir, 'attacked', '10');
  });
  afterAll(async () => world?.[Symbol.asyncDispose]());

  const newOwner = () => world.members.newOwner(accountId);

  test('(cookie theft) gets no cookie by a script, by another site or over a path', async () => {
    const { email } = await newOwner();
    const { headers, body } = await world.send('POST', SESSION, { body: { email, password: PASSWORD } });
    const [cookie = '', ...others] = headers.getSetCookie();
    expect(others).toEqual([]);
    expect(cookie.split('; ').slice(2).toSorted()).toEqual(['HttpOnly', 'Path=/', 'SameSite=Strict']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(JSON.stringify(body)).not.toContain('ks_ses_');
  });

  test('(CSRF) cannot make the browser of a member act: every operation refuses other sites', async () => {
    const session = await world.enter((await newOwner()).email);
    for (const [name, { auth, method, path }] of Object.entries(OPERATIONS)) {
      const isForSessions = auth.some((kind) => kind === 'session') || auth.length === 0;
      if (!isForSessions) continue;
      for (const headers of [
        { origin: EVIL },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ]) {
        const body = method === 'POST' ? {} : undefined;
        const answer = await world.send(method, path.replace('{id}', 'x'), { session, headers, body });
        expect([name, headers, answer.code]).toEqual([name, headers, 'cross_site_request']);
      }
    }
    expect((await world.send('GET', SESSION, { session })).status).toBe(200);
  });

  test('(CSRF by a form) cannot sign a browser in: a form has no JSON', async () => {
    const { email } = await newOwner();
    const body = { email, password: PASSWORD };
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect((await world.send('POST', SESSION, { body, headers: { 'content-type': type } })).code).toBe(
        'content_type_not_allowed',
      );
  });

  test('(session fixation) cannot plant a session: each sign-in and each confirmation has a token of its own', async () => {
    const login = await newOwner();
    const planted = await world.enter((await newOwner()).email);
    const { headers } = await world.send('POST', SESSION, {
      session: planted,
      body: { email: login.email, password: PASSWORD },
    });
    const own = sessionIn({ headers });
    expect(own).toBeDefined();
    expect(own).not.toBe(planted);
    const { token, backupCodes } = await world.members.newFactorSession(login);
    const confirmed = await world.send('POST', `${SESSION}/confirm`, {
      session: token,
      body: { code: backupCodes[0] },
    });
    expect(sessionIn(confirmed)).toBeDefined();
    expect((await world.send('GET', SESSION, { session: token })).code).toBe('session_invalid');
  });

  test('(enumeration) learns from no answer which emails exist', async () => {
    const { email } = await newOwner();
    const answers = await Promise.all(
      [email, 'nobody@example.com'].map((each) =>
        world.send('POST', SESSION, { body: { email: each, password: 'not this one at all' } }),
      ),
    );
    const [known, unknown] = answers.map(({ status, body: { request_id: _, ...body } }) => ({
      status,
      body,
    }));
    expect(known).toEqual(unknown);
    expect(known?.status).toBe(401);
  });

  test('(brute force) is locked out after five guesses, and the owner elsewhere is not', async () => {
    const { email } = await newOwner();
    const guess = () => world.send('POST', SESSION, { body: { email, password: 'not this one at all' } });
    const codes: (string | undefined)[] = [];
    for (let sent = 0; sent < 6; sent++) codes.push((await guess()).code);
    expect(codes).toEqual([...Array(5).fill('sign_in_failed'), 'sign_in_locked']);
    const locked = await world.send('POST', SESSION, { body: { email, password: PASSWORD } });
    expect([locked.status, Number(locked.headers.get('retry-after')) > 0]).toEqual([429, true]);
    await expect(world.members.newSession({ accountId, email, memberId: '' })).resolves.toMatch(/^ks_ses_/);
  });

  test('(stolen session) can neither destroy a wallet, nor rotate, nor make a token, nor remove anyone, nor take the login', async () => {
    const login = await newOwner();
    const { token: session } = await world.members.newFactorSession(login);
    await world.members.setFresh(session, null);
    const refused = async (method: string, path: string, body?: unknown): Promise<unknown> =>
      (await world.send(method, `/account/v1/${path}`, { session, body })).code;
    const key = await world.send('POST', '/account/v1/keys', { session, body: { name: 'made' } });
    const victim = await newOwner();
    expect([
      await refused('POST', `keys/${String(key.body.key_id)}/rotate`, {}),
      await refused('POST', 'tokens', { name: 'mine', scopes: ['wallets:destroy'] }),
      await refused('DELETE', `members/${victim.memberId}`),
      await refused('POST', `members/${victim.memberId}/role`, { role: 'viewer' }),
      await refused('POST', 'invitations', { email: 'thief@example.com', role: 'owner' }),
      await refused('POST', 'password', { password: PASSWORD, new_password: 'the password of a thief' }),
      await refused('POST', 'second-factor', { password: PASSWORD }),
      await refused('POST', 'backup-codes'),
    ]).toEqual(Array(8).fill('fresh_factor_required'));
    const { body } = await world.send('POST', `${SESSION}/credentials`, { session });
    const token = String(body.access_token);
    const made = await world.send('POST', '/v1/wallets', { token, body: { custody: 'managed' } });
    const path = `/v1/wallets/${String(made.body.wallet_id)}`;
    const destroy = (headers = {}) => world.send('DELETE', path, { token, headers });
    expect([(await destroy()).code, (await destroy({ 'x-two-factor-code': '000000' })).code]).toEqual([
      'two_factor_missing',
      'two_factor_invalid',
    ]);
    expect((await world.send('GET', '/account/v1/keys', { token })).code).toBe('scope_missing');
    expect((await world.send('GET', path, { token })).status).toBe(200);
  });

  test('(after sign-out) has no use of the session, of its API key or of its token', async () => {
    const session = await world.enter((await newOwner()).email);
    const { body } = await world.send('POST', `${SESSION}/credentials`, { session });
    const [token, apiKey] = [String(body.access_token), String(body.api_key)];
    const callLedger = ledgerCallOf(world.server);
    expect([(await world.send('GET', '/v1/wallets', { token })).status, await callLedger(apiKey)]).toEqual([
      200, 200,
    ]);
    expect((await world.send('DELETE', SESSION, { session })).status).toBe(200);
    expect([(await world.send('GET', '/v1/wallets', { token })).code, await callLedger(apiKey)]).toEqual([
      'token_revoked',
      401,
    ]);
    expect((await world.send('GET', SESSION, { session })).code).toBe('session_invalid');
  });

  test('(downgraded member) loses rights and credentials within a second, wherever the change was made', async () => {
    const owner = await newOwner();
    const member = await world.members.newMember(owner, 'developer');
    const session = await world.enter(member.email);
    const { body } = await world.send('POST', `${SESSION}/credentials`, { session });
    const token = String(body.access_token);
    expect((await world.send('GET', '/v1/wallets', { token })).status).toBe(200);
    const ownerSession = await world.members.newSession(owner);
    const change = { session: ownerSession, body: { role: 'billing' } };
    expect((await world.send('POST', `/account/v1/members/${member.memberId}/role`, change)).status).toBe(
      200,
    );
    expect((await world.send('GET', '/v1/wallets', { token })).code).toBe('token_revoked');
    const refused = await world.send('POST', '/account/v1/keys', { session, body: { name: 'more' } });
    expect(refused.code).toBe('role_insufficient');
  });

  test('(cookie tossing) is not helped by a second cookie, a broken one or a very long one', async () => {
    const session = await world.enter((await newOwner()).email);
    const get = async (cookie: string) => (await world.send('GET', SESSION, { headers: { cookie } })).status;
    expect(await get(`other=1; keyslot_session=${session}; keyslot_session=ks_ses_x`)).toBe(200);
    expect(await get('keyslot_session=')).toBe(401);
    expect(await get(`keyslot_session=${'a'.repeat(4_000)}`)).toBe(401);
    expect(await get(`__Host-keyslot_session=${session}`)).toBe(401);
  });

  test('(held request) that began before its sender lost the role is refused when its body comes', async () => {
    const [first, second] = [await newOwner(), await newOwner()];
    const session = await world.members.newSession(second);
    const path = `/account/v1/members/${second.memberId}/role`;
    const held = holdRequest(world.server.baseUrl, path, session, { role: 'owner' });
    const demote = { session: await world.members.newSession(first), body: { role: 'viewer' } };
    expect((await world.send('POST', path, demote)).status).toBe(200);
    expect(await held.complete()).toBe(403);
    const { body } = await world.send('GET', '/account/v1/members', { session });
    const own = (body.members as { member_id: string; role: string }[]).find(
      ({ member_id }) => member_id === second.memberId,
    );
    expect(own?.role).toBe('viewer');
  });

  test('(flood) of a viewer does not keep an owner from removing him', async () => {
    const owner = await newOwner();
    const member = await world.members.newMember(owner, 'viewer');
    const flooding = await world.members.newSession(member);
    const send = async () => (await world.send('GET', SESSION, { session: flooding })).code;
    const flood = (calls: number) => Promise.all(Array.from({ length: calls }, send));
    expect(await flood(650)).toContain('too_many_requests_at_once');
    for (let left = 600; left > 0; left -= 50) await flood(50);
    expect(await flood(50)).toContain('account_rate_limited');
    const session = await world.members.newSession(owner);
    const removed = await world.send('DELETE', `/account/v1/members/${member.memberId}`, { session });
    expect(removed.status).toBe(200);
  });

  test('(refused bodies) of a viewer weigh by their bytes', async () => {
    const session = await world.members.newSession(await world.members.newMember(await newOwner(), 'viewer'));
    const large = { session, body: { role: 'x'.repeat(120 * 1024) } };
    const codes: unknown[] = [];
    while (codes.length < 100 && codes.at(-1) !== 'account_rate_limited')
      codes.push((await world.send('POST', '/account/v1/password', large)).code);
    expect(codes.at(-1)).toBe('account_rate_limited');
    expect(new Set(codes.slice(0, -1))).toEqual(new Set(['body_invalid']));
  });

  test('(lesser role) reads no money of other accounts, and gets no token that does', async () => {
    await command(world.server.dataDir, ['accounts', 'create', 'operators', '--operator']);
    const owner = await world.members.newOwner(await world.members.accountIdOf('operators'));
    const body = { name: 'reader', scopes: ['operator:read'] };
    const codesOf = async (login: Login) => {
      const session = await world.members.newSession(login);
      const listed = await world.send('GET', '/account/v1/operator/invoices', { session });
      const made = await world.send('POST', '/account/v1/tokens', { session, body });
      return [listed.status, listed.code, made.status, made.code];
    };
    const codes = [];
    for (const role of ['developer', 'billing', 'viewer'] as const)
      codes.push(await codesOf(await world.members.newMember(owner, role)));
    expect(codes).toEqual([
      [403, 'role_insufficient', 403, 'scope_not_held'],
      [403, 'role_insufficient', 403, 'role_insufficient'],
      [403, 'role_insufficient', 403, 'role_insufficient'],
    ]);
    expect(await codesOf(owner)).toEqual([200, undefined, 201, undefined]);
  });

  test('(removed member) makes no wallet with the token of the session', async () => {
    const owner = await newOwner();
    const member = await world.members.newMember(owner, 'developer');
    const session = await world.members.newSession(member);
    const { body } = await world.send('POST', `${SESSION}/credentials`, { session });
    const wallet = { token: String(body.access_token), body: { custody: 'managed' } };
    expect((await world.send('POST', '/v1/wallets', wallet)).status).toBe(201);
    const removal = { session: await world.members.newSession(owner) };
    await world.send('DELETE', `/account/v1/members/${member.memberId}`, removal);
    const refused = await world.send('POST', '/v1/wallets', wallet);
    expect([refused.status, refused.code]).toEqual([401, 'token_revoked']);
  });

  test('(second factor) code is read with spaces and dashes, as apps show it', async () => {
    const login = await newOwner();
    const { backupCodes } = await world.members.newFactorSession(login);
    const code = ` ${backupCodes[0]?.replaceAll(/(?=..)/g, ' -')} `;
    expect(await world.enter(login.email, { code })).toMatch(/^ks_ses_/);
  });

  test('(large body) is refused by what anybody may call from 16 kB on, and answered with little of it', async () => {
    const member = `"${'x'.repeat(8_000)}":1`;
    const sent = (length: number) =>
      fetch(`${world.server.baseUrl}${SESSION}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: `{${member},${member}}`.padEnd(length),
      });
    const limit = 16 * 1024;
    const [most, more] = [await sent(limit), await sent(limit + 1)];
    expect([more.status, await more.json()]).toMatchObject([413, { code: 'body_too_large', limit }]);
    const text = await most.text();
    expect([most.status, text]).toEqual([400, expect.stringContaining(`"/${'x'.repeat(199)}…"`)]);
    expect(text.length).toBeLessThan(2_000);
  });

  test('(malformed text) gets an answer, and no failure of the server', async () => {
    const sent = { body: { email: 'a\u0000@example.com', password: PASSWORD } };
    expect((await world.send('POST', SESSION, sent)).code).toBe('body_invalid');
    const session = await world.members.newSession(await newOwner());
    const late = Buffer.concat([
      Buffer.from('ffffffffffff', 'hex'),
      Buffer.from('00000000-0000-4000-8000-000000000000'),
    ]);
    const list = `/account/v1/keys?cursor=${late.toString('base64url')}`;
    expect((await world.send('GET', list, { session })).code).toBe('query_invalid');
  });
}
