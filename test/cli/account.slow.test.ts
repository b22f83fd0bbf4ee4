import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useCommands } from './use-commands.ts';

/** A test starts up to three servers, one after the other. */

const { directory, run, json, newNode, serve } = useCommands();

type Token = { readonly id: string; readonly token: string };

test('on a running server tokens, money, limits and second factors are as commands say, and printed for people', async () => {
  const node = await newNode();
  const { server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  expect(statSync(join(directory(), 'installation.key')).mode & 0o777).toBe(0o600);
  const development = { available_usd: '1000.00', billing: 'prepaid' };
  expect(await json('balance', 'development')).toMatchObject(development);
  expect(Object.keys(JSON.parse(readFileSync(join(directory(), 'dev.json'), 'utf8')))).toEqual([
    ...['base_url', 'ws_url', 'grpc_url', 'rpc_path', 'api_key', 'access_token', 'totp_secret'],
    ...['dashboard_url', 'dashboard_email', 'dashboard_password'],
  ]);

  const scope = ['--scope', 'wallets:read', '--scope', 'wallets:sign'];
  const created = await run('tokens', 'create', '--account', 'acme', ...scope, '--expires', '90d');
  const token = /ks_tok_\w+/.exec(created.stdout)?.[0] ?? '';
  expect(created.stdout).toMatch(
    /\(unnamed, account acme\) for wallets:read, wallets:sign, valid until \d{4}-/,
  );
  const { stdout: listed } = await run('tokens', 'list');
  expect(listed).toMatch(/acme +unnamed +wallets:read wallets:sign .* valid until/);
  expect(listed).not.toContain(token.slice(0, 12));

  expect((await run('credit', 'acme', '25', '--note', 'first')).stdout).toMatch(/^Credited 25\.00 USD\.\n/);
  const { stdout } = await run('credit', 'acme', '-0.5');
  expect(stdout).toMatch(
    /The account acme is prepaid \(by volume, without a credit limit\)\.\navailable +24\.50 USD\n/,
  );
  const billed = await run('billing', 'acme', '--invoiced', '--credit-limit', '100');
  expect(billed.stdout).toMatch(/available +124\.50 USD \(credit limit 100\.00 USD\)/);
  expect((await run('wallet-limit', 'acme')).stdout).toContain('1000 times in 60 s (the default');
  expect((await run('wallet-limit', 'acme', '--per-minute', '5000')).stdout).toContain('5000 times in 60 s.');
  expect((await run('wallet-limit', 'acme')).stdout).toContain('5000 times in 60 s (set for this account)');
  expect((await run('wallet-use-limit', 'acme')).stdout).toContain(
    '100 times in 1 s (the limit of its plan)',
  );
  const raised = await run('wallet-use-limit', 'acme', '--per-second', '500');
  expect(raised.stdout).toContain('destroy wallets 500 times in 1 s');
  expect((await run('wallet-use-limit', 'acme', '--default')).stdout).toContain(
    'as often as its plan allows',
  );
  expect((await run('billing', 'acme')).stdout).toBe(billed.stdout);
  const enrolled = await run('two-factor', 'enrol', 'acme');
  expect(enrolled.stdout).toMatch(/otpauth:\/\/totp\/Keyslot:acme\?\S+\n {2}[A-Z2-7]{32}\n/);
  const secret = /^ {2}([A-Z2-7]{32})$/m.exec(enrolled.stdout)?.[1] ?? '';
  expect([token, secret].filter((one) => one === '' || server.stderr().includes(one))).toEqual([]);
  const verified = await run('audit', 'verify');
  expect([verified.end, verified.stdout]).toEqual([
    ...[
      'exit code 0',
      expect.stringMatching(
        /^acme: 1 records, signed up to [01]\nVerified the heads with the public key [0-9a-f]{64}\nThe audit log is intact\.\n$/,
      ),
    ],
  ]);
});

test('what wallets are done with is in the audit log; its heads are signed when the server stops, and verified by the next', async () => {
  const node = await newNode();
  const { server } = await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const { base_url, access_token } = JSON.parse(
    readFileSync(join(directory(), 'dev.json'), 'utf8'),
  ) as Record<string, string>;
  const made = await fetch(`${base_url}/v1/wallets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: '{"custody":"managed"}',
  });
  expect(made.status).toBe(201);
  await server.stop();
  await serve({ KEYSLOT_UPSTREAM_URL: node.url });
  const own = { account: 'development', records: 1, signed_up_to: 1, problems: [] };
  expect(await json('audit', 'verify')).toMatchObject({
    is_sound: true,
    signatures_checked: true,
    accounts: [own],
    damaged_lines: [],
  });
  expect((await run('audit', 'verify')).stdout).toMatch(
    /Verified the heads with the public key [0-9a-f]{64}\n/,
  );
  const other = await run('audit', 'verify', '--public-key', '00'.repeat(32));
  expect([other.end, other.stdout]).toEqual([
    ...['exit code 1', expect.stringContaining('head forged at record 1')],
  ]);
});

test('where no server runs they are done in the store, and only a new token makes one', async () => {
  const missing = await run('balance', 'acme');
  expect([missing.end, missing.stderr]).toEqual(['exit code 1', expect.stringContaining('no account acme')]);
  expect(await json('tokens', 'list')).toEqual({ tokens: [] });
  expect(existsSync(join(directory(), 'store'))).toBe(false);
  const { id } = await json<Token>('tokens', 'create', '--account', 'acme', '--scope', 'wallets:read');
  expect(await json('credit', 'acme', '3')).toMatchObject({ available_usd: '3.00' });
  expect(await json('balance', 'acme')).toMatchObject({ available_usd: '3.00' });
  await json('two-factor', 'enrol', 'acme');
  expect(await json('two-factor', 'unlock', 'acme')).toEqual({ account: 'acme', unlocked: true });
  expect(await json('two-factor', 'remove', 'acme')).toEqual({ account: 'acme', removed: true });
  expect(await json<Token>('tokens', 'revoke', id)).toMatchObject({ id });
});

test.each([
  [['tokens'], 'expected a subcommand: create, list, revoke'],
  [['tokens', 'fly'], 'expected a subcommand: create, list, revoke'],
  [['tokens', 'create'], 'expected at least one --scope'],
  [
    ['tokens', 'create', '--scope', 'wallets:read', '--expires', 'soon'],
    '--expires must be a duration such as 90s',
  ],
  [['tokens', 'list', 'acme'], 'unexpected argument "acme"'],
  [['credit', 'acme'], 'missing AMOUNT_USD'],
  [['credit', 'acme', '1,000'], 'must be decimal USD'],
  [['billing', 'acme', '--invoiced'], 'expected --by-volume with an optional --credit-limit USD'],
  [
    ['billing', 'acme', '--prepaid', '--credit-limit', '5'],
    'expected --by-volume with an optional --credit-limit USD, --invoiced with',
  ],
  [['wallet-limit', 'acme', '--per-minute', '5', '--default'], 'either --per-minute N or --default'],
  [['wallet-limit', 'acme', '--per-minute', 'x'], '--per-minute must be'],
  [['wallet-use-limit', 'acme', '--per-second', '5', '--default'], 'either --per-second N or --default'],
  [['wallet-use-limit', 'acme', '--per-second', '0'], '--per-second must be'],
  [['two-factor', 'enrol'], 'missing ACCOUNT'],
  [['audit', 'verify', '--public-key', 'abc'], '64 hexadecimal digits'],
])('%j ends with a line that says why', async (args, reason) => {
  const { end, stdout, stderr } = await run(...args);
  expect([end, stdout]).toEqual(['exit code 2', '']);
  expect(stderr).toContain(reason);
});
