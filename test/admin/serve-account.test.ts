import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { appendAudit } from '../../src/account/audit/append-audit.ts';
import { signDueHeads } from '../../src/account/audit/sign-heads.ts';
import { ensureDevelopmentAccess } from '../../src/account/development-access.ts';
import { setOperates } from '../../src/account/operators.ts';
import { PlanBook } from '../../src/account/plan-book.ts';
import { checkTwoFactor, readTwoFactor } from '../../src/account/two-factor/two-factor.ts';
import { isAccountRequest, readAccountRequest } from '../../src/admin/account-request.ts';
import { type AccountDeps, serveAccount } from '../../src/admin/serve-account.ts';
import { createHeadKey } from '../account/audit/head-key.ts';
import { newCustomer, NOW_MS } from '../account/new-customer.ts';
import { describeStores } from '../store/backends.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { newAccountDeps } from './account-deps.ts';

const directory = useNewDirectory();

/** As a line of the admin socket brings it. */
function readLine(request: object): ReturnType<typeof readAccountRequest> {
  const sent: unknown = JSON.parse(JSON.stringify(request));
  if (!isAccountRequest(sent)) throw new Error('no command about accounts');
  return readAccountRequest(sent);
}

describeStores('commands about accounts', (backend) => {
  const store = backend.shared();

  async function setUp(change: Partial<AccountDeps> = {}) {
    const plans = new PlanBook();
    const deps: AccountDeps = { store: store(), plans, ...newAccountDeps(), ...change };
    const account = await newCustomer(store());
    const ask = async (request: object, nowMs = NOW_MS): Promise<Record<string, unknown>> => {
      const result = await serveAccount(deps, readLine({ account, ...request }), nowMs);
      return JSON.parse(JSON.stringify(result)) as Record<string, unknown>;
    };
    return { deps, account, ask };
  }

  test('make, list and revoke tokens at once; the token is told once', async () => {
    const { deps, account, ask } = await setUp();
    const scopes = ['wallets:create', 'wallets:read'];
    const made = await ask({ kind: 'tokens.create', scopes, name: 'ci', expiresInMs: 1_000 });
    const expiresAt = new Date(NOW_MS + 1_000).toISOString();
    expect(made).toMatchObject({ name: 'ci', account, scopes, expires_at: expiresAt });
    const token = String(made.token);
    expect(deps.tokens.find(token, NOW_MS)).toMatchObject({ kind: 'valid', scopes: new Set(scopes) });
    const states = async (nowMs: number) => {
      const { tokens } = await ask({ kind: 'tokens.list' }, nowMs);
      expect(JSON.stringify(tokens)).not.toContain(token.slice(0, 12));
      return (tokens as { state: string }[]).map(({ state }) => state);
    };
    expect([await states(NOW_MS + 999), await states(NOW_MS + 1_000)]).toEqual([['valid'], ['expired']]);
    await ask({ kind: 'tokens.revoke', id: made.id });
    expect(deps.tokens.find(token, NOW_MS).kind).toBe('revoked');
    expect(await states(NOW_MS)).toEqual(['revoked']);
  });

  test('credit and take back, in exact decimal text', async () => {
    const { account, ask } = await setUp();
    expect(await ask({ kind: 'money.credit', amountUsd: '25.000001', note: 'invoice 7' })).toEqual({
      ...{ credited_usd: '25.000001', account, billing: 'prepaid', available_usd: '25.000001' },
      ...{ balance_usd: '25.000001', credit_limit_usd: '0.00', reserved_usd: '0.00', charged_usd: '0.00' },
      ...{ mode: 'by_volume', granted_credit_limit_usd: '0.00', charged_this_month_usd: '0.00' },
      operations_this_month: {},
    });
    await ask({ kind: 'money.credit', amountUsd: '-5.000001' });
    const tooMuch = ask({ kind: 'money.credit', amountUsd: '-20.000001' });
    await expect(tooMuch).rejects.toThrow('20.000001 USD cannot be taken back: only 20.00 USD are available');
  });

  test('raise the limit of creation, and take it back; it is shown with its source and stays as it is', async () => {
    const { deps, account, ask } = await setUp();
    const raised = { account, requests: 5_000, window_seconds: 60 };
    const standard = { ...raised, requests: 1_000 };
    const show = () => ask({ kind: 'wallet-limit.show' });
    expect(await show()).toEqual({ ...standard, source: 'spec' });
    expect(await ask({ kind: 'wallet-limit', requests: 5_000 })).toEqual(raised);
    expect(await show()).toEqual({ ...raised, source: 'store' });
    expect(deps.limits.limitOf(account).burst).toBe(5_000);
    expect(await ask({ kind: 'wallet-limit' })).toEqual(standard);
    expect(await show()).toEqual({ ...standard, source: 'spec' });
  });

  test('raise the limit of use, and take it back; it is shown with its source and stays as it is', async () => {
    const { deps, account, ask } = await setUp();
    const raised = { account, requests: 500, window_seconds: 1 };
    const show = () => ask({ kind: 'wallet-use-limit.show' });
    expect(await show()).toEqual({ ...raised, requests: 100, source: 'plan' });
    expect(await ask({ kind: 'wallet-use-limit', requests: 500 })).toEqual(raised);
    expect(await show()).toEqual({ ...raised, source: 'store' });
    expect(deps.useLimits.limitOf(account, 100).burst).toBe(500);
    expect(await ask({ kind: 'wallet-use-limit' })).toEqual({ ...raised, requests: null });
    expect(await show()).toEqual({ ...raised, requests: 100, source: 'plan' });
  });

  test('enrol a second factor, whose codes then work, and remove it', async () => {
    const { deps, account, ask } = await setUp();
    const { uri, secret } = await ask({ kind: 'two-factor.enrol' });
    expect(String(uri)).toContain(String(secret));
    const code = TOTP.generate({ secret: Secret.fromBase32(String(secret)), timestamp: NOW_MS });
    const twoFactor = { store: store(), installationKey: await deps.installationKey() };
    const seen = await readTwoFactor(store().db, account);
    const found = await checkTwoFactor(
      twoFactor,
      { accountId: account, tokenId: 't', code, nowMs: NOW_MS },
      seen,
    );
    expect(found.kind).toBe('ok');
    await expect(ask({ kind: 'two-factor.enrol' })).rejects.toMatchObject({
      code: 'twoFactorAlreadyEnrolled',
    });
    expect(await ask({ kind: 'two-factor.remove' })).toEqual({ account, removed: true });
    await expect(ask({ kind: 'two-factor.remove' })).rejects.toMatchObject({ code: 'twoFactorNotEnrolled' });
  });

  test('verify the audit log by the key of the signer, by one that is given, or without', async () => {
    const key = createHeadKey();
    const headsFile = join(directory(), 'heads.jsonl');
    const { account, ask } = await setUp({ headsFile, headKey: key.publicKey });
    const fact = { action: 'create', outcome: 'ok', requestId: 'req_1' };
    await store().transaction((tx) => appendAudit(tx, account, [fact], NOW_MS));
    await signDueHeads({ store: store(), key, headsFile, clock: { nowMs: () => NOW_MS } }, true);
    const verify = (publicKeys?: readonly Uint8Array[]) =>
      ask({ kind: 'audit.verify', publicKeys: publicKeys?.map((one) => Buffer.from(one).toString('hex')) });
    const sound = { account, account_id: account, records: 1, signed_up_to: 1, problems: [] };
    const public_keys = [Buffer.from(key.bytes).toString('hex')];
    const verdict = {
      is_sound: true,
      signatures_checked: true,
      public_keys,
      accounts: [sound],
      damaged_lines: [],
    };
    expect([await verify(), await verify([key.bytes])]).toEqual([verdict, verdict]);
    expect(await verify([createHeadKey().bytes])).toMatchObject({
      is_sound: false,
      accounts: [{ problems: [{ kind: 'head_forged', at: 1 }] }],
    });
    const without = await setUp({ headsFile });
    expect(await without.ask({ kind: 'audit.verify', account })).toMatchObject({
      ...{ is_sound: true, signatures_checked: false, public_keys: [], accounts: [{ signed_up_to: 0 }] },
    });
  });

  test('say which account is not there', async () => {
    const { ask } = await setUp();
    const limits = ['wallet-limit', 'wallet-limit.show', 'wallet-use-limit', 'wallet-use-limit.show'];
    const kinds = [...limits, 'money.balance', 'two-factor.enrol', 'two-factor.remove', 'audit.verify'];
    for (const kind of kinds)
      await expect(ask({ kind, account: 'nobody' })).rejects.toThrow('There is no account nobody');
    const credit = ask({ kind: 'money.credit', account: 'nobody', amountUsd: '1' });
    await expect(credit).rejects.toMatchObject({ code: 'accountNotFound' });
    const revoke = ask({ kind: 'tokens.revoke', id: randomUUID() });
    await expect(revoke).rejects.toMatchObject({ code: 'tokenNotFound' });
  });

  test('the development account has a token and a second factor that are kept while they work', async () => {
    const { deps, account } = await setUp();
    const installationKey = await deps.installationKey();
    await setOperates(deps, { accountId: account, operates: true });
    const ensure = (kept: object) =>
      ensureDevelopmentAccess({ ...deps, installationKey }, account, kept, NOW_MS);
    const first = await ensure({});
    expect(deps.tokens.find(first.access_token, NOW_MS)).toMatchObject({
      kind: 'valid',
      accountId: account,
    });
    expect(await ensure(first)).toEqual(first);
    const second = await ensure({ access_token: 'lost', totp_secret: 'lost' });
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.totp_secret).not.toBe(first.totp_secret);
    expect(deps.tokens.find(first.access_token, NOW_MS).kind).toBe('revoked');
    expect(await ensure(second)).toEqual(second);
  });
});

test.each([
  [{ kind: 'tokens.create', account: 'a' }, 'expected at least one --scope'],
  [{ kind: 'tokens.create', account: 'a', scopes: [] }, 'expected at least one --scope'],
  [{ kind: 'tokens.create', account: 'a', scopes: ['wallets:fly'] }, 'unknown scope "wallets:fly"'],
  [{ kind: 'tokens.create', account: 'development', scopes: ['wallets:read'] }, 'reserved for the server'],
  [{ kind: 'tokens.create', account: 'A', scopes: ['wallets:read'] }, 'name of an account'],
  [{ kind: 'tokens.create', name: '\u001b[2J', scopes: ['wallets:read'] }, 'name of a token'],
  [{ kind: 'tokens.create', expiresInMs: 0, scopes: ['wallets:read'] }, '1s to 3660d'],
  [{ kind: 'tokens.create', expiresInMs: 3_660 * 86_400_000 + 1, scopes: ['wallets:read'] }, '1s to 3660d'],
  [{ kind: 'tokens.revoke', id: 'x' }, 'no access token with the id x'],
  [{ kind: 'money.credit', account: 'a', amountUsd: '0' }, 'got "0"'],
  [{ kind: 'money.credit', account: 'a', amountUsd: 5 }, 'got 5'],
  [{ kind: 'money.credit', account: 'a', amountUsd: '1e3' }, 'got "1e3"'],
  [{ kind: 'money.credit', account: 'a', amountUsd: '0.0000001' }, 'the amount must be'],
  [{ kind: 'money.credit', account: 'a', amountUsd: '1', note: 'a\nb' }, 'a note must have'],
  [{ kind: 'wallet-limit', account: 'a', requests: 0 }, '--per-minute must be'],
  [{ kind: 'wallet-limit', account: 'a', requests: 1.5 }, '--per-minute must be'],
  [{ kind: 'wallet-limit', account: 'a', requests: 1_000_001 }, '--per-minute must be'],
  [{ kind: 'audit.verify', publicKeys: ['zz'] }, '64 hexadecimal digits'],
])('%j is refused', (request, reason) => {
  expect(() => readLine(request)).toThrow(reason);
});
