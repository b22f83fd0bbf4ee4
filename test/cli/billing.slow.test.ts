import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureAccount } from '../../src/account/accounts/accounts.ts';
import { setTerms } from '../../src/account/billing/invoices/set-terms.ts';
import { eventually } from '../../src/core/eventually.ts';
import { monthsLater, monthStartMs, utcMonth } from '../../src/core/utc-month.ts';
import { openStore } from '../../src/store/open-store.ts';
import { charge } from '../account/billing/invoices/billed-account.ts';
import { SILENT } from '../store/backends.ts';
import { prepareStore } from '../support/prepared-store.ts';
import { useCommands } from './use-commands.ts';

const { directory, run, json, newNode, serve } = useCommands();

const LAST = monthsLater(utcMonth(Date.now()), -1);
const SECOND = /^.*"record":.*\n/m;

/** Charges an account in the last month, before a server runs. */
async function chargeLastMonth(): Promise<void> {
  prepareStore(directory());
  const store = await openStore({ dataDir: directory() }, SILENT);
  const atMs = monthStartMs(LAST) + 3_600_000;
  const accountId = await ensureAccount(store, 'acme', atMs);
  const terms = { accountId, mode: 'invoiced', creditLimit: 500_000_000n, nowMs: atMs } as const;
  await store.transaction((tx) => setTerms(tx, terms));
  for (const units of [1_200_000, 3])
    await charge(store, { accountId, operation: 'managed_signing', units, nowMs: atMs });
  await store.close();
}

test('a server closes the last month; its invoice is shown, downloaded, verified, and corrected by a credit note', async () => {
  await chargeLastMonth();
  const node = await newNode();
  const settings = {
    KEYSLOT_UPSTREAM_URL: node.url,
    KEYSLOT_BILLING_SELLER: 'Example Nodes Ltd\n2 Harbour Road',
  };
  // The heads of the log are signed when it stops.
  const first = await serve(settings);
  const listed = await eventually('the invoice is issued', async () => {
    const { invoices } = await json<{ readonly invoices: readonly object[] }>('invoices', 'list');
    return invoices.length === 0 ? undefined : invoices;
  });
  expect(listed).toMatchObject([
    {
      number: 'INV-000001',
      account: 'acme',
      month: LAST,
      total_usd: '108.00012',
      outstanding_usd: '108.00012',
    },
  ]);
  await first.server.stop();
  await serve(settings);
  const shown = await run('invoices', 'show', 'INV-000001');
  expect(shown.stdout).toContain(`Invoice INV-000001 of the account acme for ${LAST}`);
  expect(shown.stdout).toContain('From:\n  Example Nodes Ltd\n  2 Harbour Road\n');
  expect(shown.stdout).toMatch(/managed_signing +volume +200003 +0\.00004 +8\.00012\n/);
  expect(shown.stdout).toMatch(/left to pay +108\.00012 USD\n/);
  expect((await run('invoices', 'show', 'INV-000001', '--csv')).stdout).toBe(
    `invoice,month,item,price,units,unit_price_usd,amount_usd\r\nINV-000001,${LAST},managed_signing,standard,1000000,0.0001,100.00\r\nINV-000001,${LAST},managed_signing,volume,200003,0.00004,8.00012\r\nINV-000001,${LAST},total,,,,108.00012\r\n`,
  );
  const { stdout } = await run(
    'tokens',
    'create',
    '--account',
    'acme',
    '--scope',
    'billing:read',
    '--scope',
    'audit:read',
  );
  const token = /ks_tok_\w+/.exec(stdout)?.[0] ?? '';
  const file = join(directory(), 'bill');
  const { base_url: url } = JSON.parse(readFileSync(join(directory(), 'dev.json'), 'utf8')) as {
    base_url: string;
  };
  const fetched = await run('bill', 'fetch', 'INV-000001', file, '--url', url, '--token', token);
  expect([fetched.end, fetched.stdout]).toEqual([
    ...['exit code 0', expect.stringMatching(/^Wrote INV-000001 with \d+ records to /)],
  ]);
  const verified = await run('bill', 'verify', file);
  expect(verified.stdout).toContain('INV-000001 matches its records: 108.00012 USD were charged');
  const key = /signed with ([0-9a-f]{64})/.exec(verified.stdout)?.[1] ?? '';
  expect((await run('bill', 'verify', file, '--public-key', key)).end).toBe('exit code 0');
  const foreign = await run('bill', 'verify', file, '--public-key', '00'.repeat(32), '--json');
  expect([foreign.end, JSON.parse(foreign.stdout)]).toMatchObject([
    ...['exit code 1', { is_sound: false, problems: [{ kind: 'untrusted', publicKey: key }] }],
  ]);

  changeBill(file, (text) => text.replace('108.00012', '109.00012'));
  const other = await run('bill', 'verify', file);
  expect([other.end, other.stdout]).toEqual([
    ...[
      'exit code 1',
      expect.stringContaining('charged_usd: the invoice has 109.00012, the records have 108.00012.'),
    ],
  ]);
  changeBill(file, (text) => text.replace('109.00012', '108.00012').replace(SECOND, ''));
  expect((await run('bill', 'verify', file)).stdout).toMatch(/Record \d+ is missing\./);

  const again = await run('bill', 'fetch', 'INV-000001', file, '--url', url, '--token', token);
  expect(again.stderr).toContain(': EEXIST');
  const none = await run('bill', 'fetch', 'INV-000002', `${file}2`, '--url', url, '--token', token);
  expect([none.end, none.stderr, existsSync(`${file}2`)]).toEqual([
    ...['exit code 2', expect.stringContaining('There is no invoice INV-000002. (invoice_not_found)'), false],
  ]);

  const credited = await run('invoices', 'credit', 'INV-000001', '8.00012', '--reason', 'a test');
  expect(credited.stdout).toBe('Issued the credit note CN-000001: 8.00012 USD of INV-000001 are refunded.\n');
  expect(await json('invoices', 'show', 'INV-000001')).toMatchObject({
    credited_usd: '8.00012',
    outstanding_usd: '100.00',
    credit_notes: [{ number: 'CN-000001', amount_usd: '8.00012', reason: 'a test' }],
  });
  expect((await run('invoices', 'credit', 'INV-000001', '101', '--reason', 'a test')).stderr).toContain(
    '101.00 USD cannot be given back: 100.00 USD are left of the invoice INV-000001',
  );
  expect((await run('statements', 'acme')).stdout).toMatch(
    new RegExp(`${LAST} +0\\.00 +0\\.00 +0\\.00 +108\\.00012 +-108\\.00012 +INV-000001`),
  );
});

test('notices are set, shown and turned off', async () => {
  await run('accounts', 'create', 'acme');
  expect((await run('notices', 'acme')).stdout).toContain('gets no notices');
  const { stdout } = await run('notices', 'acme', '--below', '20', '--below', '100');
  expect(stdout).toBe('The account acme gets a notice when it can spend less than 100.00 USD, 20.00 USD.\n');
  expect(await json('notices', 'acme')).toEqual({ account: 'acme', notify_below_usd: ['100.00', '20.00'] });
  expect((await run('notices', 'acme', '--none')).stdout).toContain('gets no notices');
  expect((await run('notices', 'acme', '--none', '--below', '1')).stderr).toContain('got both');
});

test('a file that is no bill, and none at all, are named', async () => {
  const file = join(directory(), 'bill');
  expect((await run('bill', 'verify', file)).stderr).toContain(`cannot read ${file}: ENOENT`);
  for (const [text, reason] of [
    ['', 'there is no invoice'],
    ['{"record":{}}\n', 'the first line is not an invoice'],
    ['{"bill":"other","invoice":{}}\n', 'expected one keyslot bill v1'],
    ['no json', 'is not a bill: '],
  ] as const) {
    writeFileSync(file, text);
    const { end, stderr } = await run('bill', 'verify', file);
    expect([end, stderr]).toEqual(['exit code 2', expect.stringContaining(reason)]);
  }
});

function changeBill(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
