import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Secret, TOTP } from 'otpauth';
import { expect, test } from 'vitest';
import { appendAudit } from '../../../src/account/audit/append-audit.ts';
import { signDueHeads } from '../../../src/account/audit/sign-heads.ts';
import { ensureDevelopmentAccess } from '../../../src/account/setup/development-file.ts';
import { setOperates } from '../../../src/account/identity/operators.ts';
import { checkTwoFactor, readTwoFactor } from '../../../src/account/identity/two-factor/two-factor.ts';
import { readRequest } from '../../../src/operate/admin/admin-request.ts';
import type { CommandDeps } from '../../../src/operate/admin/serve-commands.ts';
import { createHeadKey } from '../../account/audit/head-key.ts';
import { newCustomer, NOW_MS } from '../../account/new-customer.ts';
import { describeStores } from '../../store/backends.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { readAction } from '../../support/run-action.ts';
import { commandsOn, newCommandDeps } from './account-deps.ts';

const directory = useNewDirectory();

describeStores('commands about accounts', (backend) => {
  const store = backend.shared();

  async function setUp(change: Partial<CommandDeps> = {}) {
    const deps = { ...(await newCommandDeps(store())), ...change };
    // The name of a new customer is its id.
    const account = await newCustomer(store());
    return { deps, account, run: commandsOn(deps) };
  }

  test('make, list and revoke tokens at once; the token is told once', async () => {
    const { deps, account, run } = await setUp();
    const scopes = ['wallets:create', 'wallets:read'];
    const create = ['tokens', 'create', '--account', account, '--name', 'ci', '--expires', '1s'];
    const made = await run([...create, ...scopes.flatMap((scope) => ['--scope', scope])]);
    const expiresAt = new Date(NOW_MS + 1_000).toISOString();
    expect(made).toMatchObject({ name: 'ci', account, scopes, expires_at: expiresAt });
    const token = String(made.token);
    expect(deps.tokens.find(token, NOW_MS)).toMatchObject({ kind: 'valid', scopes: new Set(scopes) });
    const states = async (nowMs: number) => {
      const { tokens } = await run(['tokens', 'list', '--account', account], nowMs);
      expect(JSON.stringify(tokens)).not.toContain(token.slice(0, 12));
      return (tokens as { state: string }[]).map(({ state }) => state);
    };
    expect([await states(NOW_MS + 999), await states(NOW_MS + 1_000)]).toEqual([['valid'], ['expired']]);
    await run(['tokens', 'revoke', String(made.id)]);
    expect(deps.tokens.find(token, NOW_MS).kind).toBe('revoked');
    expect(await states(NOW_MS)).toEqual(['revoked']);
  });

  test('credit and take back, in exact decimal text', async () => {
    const { account, run } = await setUp();
    expect(await run(['credit', account, '25.000001', '--note', 'invoice 7'])).toEqual({
      credited_usd: '25.000001',
      account,
      billing: 'prepaid',
      available_usd: '25.000001',
      balance_usd: '25.000001',
      credit_limit_usd: '0.00',
      reserved_usd: '0.00',
      charged_usd: '0.00',
      mode: 'by_volume',
      granted_credit_limit_usd: '0.00',
      charged_this_month_usd: '0.00',
      operations_this_month: {},
    });
    await run(['credit', account, '-5.000001']);
    const tooMuch = run(['credit', account, '-20.000001']);
    await expect(tooMuch).rejects.toThrow('20.000001 USD cannot be taken back: only 20.00 USD are available');
  });

  test('raise the limit of creation, and take it back; it is shown with its source and stays as it is', async () => {
    const { deps, account, run } = await setUp();
    const raised = { account, requests: 5_000, window_seconds: 60 };
    const standard = { ...raised, requests: 1_000 };
    const show = () => run(['wallet-limit', account]);
    expect(await show()).toEqual({ ...standard, source: 'spec' });
    expect(await run(['wallet-limit', account, '--per-minute', '5000'])).toEqual(raised);
    expect(await show()).toEqual({ ...raised, source: 'store' });
    expect(deps.limits.limitOf(account).burst).toBe(5_000);
    expect(await run(['wallet-limit', account, '--default'])).toEqual(standard);
    expect(await show()).toEqual({ ...standard, source: 'spec' });
  });

  test('raise the limit of use, and take it back; it is shown with its source and stays as it is', async () => {
    const { deps, account, run } = await setUp();
    const raised = { account, requests: 500, window_seconds: 1 };
    const show = () => run(['wallet-use-limit', account]);
    expect(await show()).toEqual({ ...raised, requests: 100, source: 'plan' });
    expect(await run(['wallet-use-limit', account, '--per-second', '500'])).toEqual(raised);
    expect(await show()).toEqual({ ...raised, source: 'store' });
    expect(deps.useLimits.limitOf(account, 100).burst).toBe(500);
    expect(await run(['wallet-use-limit', account, '--default'])).toEqual({ ...raised, requests: null });
    expect(await show()).toEqual({ ...raised, requests: 100, source: 'plan' });
  });

  test('enrol a second factor, whose codes then work, and remove it', async () => {
    const { deps, account, run } = await setUp();
    const { uri, secret } = await run(['two-factor', 'enrol', account]);
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
    await expect(run(['two-factor', 'enrol', account])).rejects.toMatchObject({
      code: 'twoFactorAlreadyEnrolled',
    });
    expect(await run(['two-factor', 'remove', account])).toEqual({ account, removed: true });
    await expect(run(['two-factor', 'remove', account])).rejects.toMatchObject({
      code: 'twoFactorNotEnrolled',
    });
  });

  test('verify the audit log by the key of the signer, by one that is given, or without', async () => {
    const key = createHeadKey();
    const headsFile = join(directory(), 'heads.jsonl');
    const { account, run } = await setUp({ headsFile, headKey: key.publicKey });
    const fact = { action: 'create', outcome: 'ok', requestId: 'req_1' };
    await store().transaction((tx) => appendAudit(tx, account, [fact], NOW_MS));
    await signDueHeads({ store: store(), key, headsFile, clock: { nowMs: () => NOW_MS } }, true);
    const verify = (publicKeys?: readonly Uint8Array[]) =>
      run([
        ...['audit', 'verify', '--account', account],
        ...(publicKeys ?? []).flatMap((one) => ['--public-key', Buffer.from(one).toString('hex')]),
      ]);
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
    expect(await without.run(['audit', 'verify', '--account', account])).toMatchObject({
      is_sound: true,
      signatures_checked: false,
      public_keys: [],
      accounts: [{ signed_up_to: 0 }],
    });
  });

  test('say which account is not there', async () => {
    const { run } = await setUp();
    for (const words of [
      ['wallet-limit', 'nobody'],
      ['wallet-limit', 'nobody', '--default'],
      ['wallet-use-limit', 'nobody'],
      ['wallet-use-limit', 'nobody', '--per-second', '1'],
      ['balance', 'nobody'],
      ['two-factor', 'enrol', 'nobody'],
      ['two-factor', 'remove', 'nobody'],
      ['audit', 'verify', '--account', 'nobody'],
      ['credit', 'nobody', '1'],
    ])
      await expect(run(words)).rejects.toThrow('There is no account nobody');
    const revoke = run(['tokens', 'revoke', randomUUID()]);
    await expect(revoke).rejects.toMatchObject({ code: 'tokenNotFound' });
    await expect(run(['tokens', 'revoke', 'x'])).rejects.toThrow('no access token with the id x');
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
  [{ kind: 'money.credit', account: 'a', amountUsd: '0' }, 'got "0"'],
  [{ kind: 'money.credit', account: 'a', amountUsd: 5 }, 'got 5'],
  [{ kind: 'money.credit', account: 'a', amountUsd: '1e3' }, 'got "1e3"'],
  [{ kind: 'money.credit', account: 'a', amountUsd: '0.0000001' }, 'the amount must be'],
  [{ kind: 'money.credit', account: 'a', amountUsd: '1', note: 'a\nb' }, 'a note must have'],
  [{ kind: 'audit.verify', publicKeys: ['zz'] }, '64 hexadecimal digits'],
])('%j is refused', (request, reason) => {
  expect(() => readRequest(request)).toThrow(reason);
});

test.each([
  [['wallet-limit', 'a', '--per-minute', '0'], '--per-minute must be'],
  [['wallet-limit', 'a', '--per-minute', '1.5'], '--per-minute must be'],
  [['wallet-limit', 'a', '--per-minute', '1000001'], '--per-minute must be'],
  [['wallet-use-limit', 'a', '--per-second', '1', '--default'], 'got both'],
])('%j is refused', (words, reason) => {
  expect(() => readAction(words)).toThrow(reason);
});
