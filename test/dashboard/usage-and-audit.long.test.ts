import pg from 'pg';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { PASSWORD } from '../account/api/live/provision-members.ts';
import { type MemberServer, startMemberServer } from '../account/api/sessions/member-server.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { findBarriers } from './axe.ts';
import { download } from './download.ts';
import { type FilledAccount, fillUsage } from './fill-usage.ts';
import { openDashboard } from './open-dashboard.ts';

const executable = findChromium();
const postgres = await findPostgres();
/** Heads are signed a minute after a record. */
const HEAD_MS = 150_000;

/** Adds up how far the page's content moved by itself, from its first frame. */
const WATCH_SHIFTS = `window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true })`;

const PAGES: readonly (readonly [path: string, shown: string])[] = [
  ['', '.table-area tbody tr:not([aria-hidden])'],
  ['/usage', '.table-area tbody tr:not([aria-hidden])'],
  ['/usage/wallets', '.table-area tbody tr:not([aria-hidden])'],
  ['/usage/limits', '.limits dd:not(:text("…"))'],
  ['/billing/entries', '.table-area tbody tr:not([aria-hidden])'],
  ['/audit', '.table-area tbody tr:not([aria-hidden])'],
  ['/audit/verification', '#verify'],
];

if (executable === undefined) test('usage and audit log', (context) => context.skip(CHROMIUM_MISSING));
else if (postgres === undefined) test('usage and audit log', (context) => context.skip(POSTGRES_MISSING));
else describe('overview, usage and audit log', { timeout: HEAD_MS }, () => served(executable, postgres));

function served(chromium: string, postgresUrl: string): void {
  let browser: Browser;
  let world: MemberServer;
  let acme: FilledAccount;

  beforeAll(async () => {
    [browser, world] = await Promise.all([startChromium(chromium), startMemberServer(postgresUrl)]);
    acme = await fillUsage(world, 'acme');
  });

  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  const enter = async (path: string, { email }: { readonly email: string }, width = 1440) => {
    const opened = await openDashboard(browser, `${world.server.baseUrl}/dashboard${path}`, { width });
    await opened.page.getByLabel('Email').fill(email);
    await opened.page.getByLabel('Password').fill(PASSWORD);
    await opened.page.keyboard.press('Enter');
    await opened.page.getByRole('button', { name: width < 800 ? 'Menu' : 'Sign out' }).waitFor();
    return opened;
  };

  test('the overview says how the networks are, what was called, what is left, and what needs attention', async () => {
    const { page, complaints } = await enter('', acme);
    const networks = page.getByRole('region', { name: 'Networks', exact: true });
    await networks.getByText('Ready').waitFor();
    await networks.getByText('1 of 1').waitFor();
    await networks.getByText(/^at most [\d.]+\sm?s$/).waitFor();
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('3 of 5 done').waitFor();
    const top = page.getByRole('table', { name: 'Top methods' }).getByRole('row', { name: /getBalance/ });
    await top.getByText('1', { exact: true }).first().waitFor();
    await page.getByText('$24.999').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('a new account is shown a command that works as it is copied', async () => {
    const owner = await world.members.newOwner(await world.members.accountIdOf('new'));
    const { page } = await enter('', owner);
    await page.getByRole('button', { name: 'Use a key for ten minutes' }).click();
    const program = page.getByRole('region', { name: 'Endpoints' }).locator('pre');
    await program.getByText('ks_key_').waitFor();
    const command = String(await program.textContent());
    const address = /'(http[^']+)'/.exec(command)?.[1] ?? '';
    const body = /-d '([^']+)'/.exec(command)?.[1] ?? '';
    const answer = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(await answer.json()).toMatchObject({ result: expect.any(Number) });
  });

  test('usage is summed up by key, method and member, drawn, and saved as CSV', async () => {
    const { page, complaints } = await enter('/usage', acme);
    const row = page.getByRole('row', { name: /^checkout/ });
    await row.waitFor();
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([
      ...[
        'checkout',
        String(acme.calls),
        '0',
        expect.stringMatching(/^1 /),
        '0',
        expect.stringMatching(/^\d+$/),
        '0',
      ],
    ]);
    await page.locator('.chart canvas').waitFor();
    await page.getByLabel('Sums by').selectOption('Method');
    await page.getByRole('row', { name: /^getSlot/ }).waitFor();
    const csv = (await download(page, 'Download CSV')).text;
    expect(csv.split('\r\n')[0]).toBe('method,id,calls,errors,caller_errors,refused,weight,messages');
    expect(csv).toMatch(/^getBalance,getBalance,1,0,1,0,\d+,0\r$/m);
    await page.getByRole('link', { name: 'Wallet operations' }).click();
    await page.getByRole('row', { name: /^create 1 0 1 \$0.001/ }).waitFor();
    await page.getByLabel('Sums by').selectOption('Day (UTC) and operation');
    await page.getByRole('row', { name: /^\d{4}-\d\d-\d\d create 1 0 1 \$0.001/ }).waitFor();
    expect((await download(page, 'Download CSV')).text).toMatch(
      /^day,operation,requests,refused,units,cost_usd\r\n\d{4}-\d\d-\d\d,create,1,0,1,0\.001\r\n/,
    );
    await page.getByLabel('Chart').selectOption('Cost');
    await page.locator('.chart-legend').getByText('$0.001').waitFor();
    await page.getByLabel('Sums by').selectOption('Token or member');
    await page.getByRole('row', { name: new RegExp(`^Dashboard \\(${acme.email}\\) 1 0`) }).waitFor();
    await page.getByRole('link', { name: 'Limits' }).click();
    const left = page.getByText(/^[\d,]+ left now$/);
    await left.first().waitFor();
    await page.goto(`${world.server.baseUrl}/dashboard/billing/entries`);
    await page.getByRole('row', { name: /Wallet creation 1 -\$0.001 \$0.00 \$24.999/ }).waitFor();
    expect((await download(page, 'Download CSV')).text).toMatch(
      /,charge,wallet_creation,1,-0.001,0.00,0.001,24.999,/,
    );
    expect(complaints).toEqual([]);
  });

  test('the audit log is filtered, shown in detail, and saved whole', async () => {
    const { page, complaints } = await enter('/audit', acme);
    await page.getByLabel('Action').fill('session.sign_in');
    await page.keyboard.press('Enter');
    await eventually('only sign-ins are shown', async () => {
      const actions = await page.locator('.table-area tbody code').allTextContents();
      return actions.length > 0 && actions.every((action) => action === 'session.sign_in') ? true : undefined;
    });
    await page.getByRole('button', { name: 'Show all' }).click();
    await page.getByRole('button', { name: 'Details of record 2' }).click();
    await page.getByRole('dialog', { name: 'Record 2' }).getByText('setup_link.accept').waitFor();
    await page.keyboard.press('Escape');
    const lines = (await download(page, 'Download JSONL')).text.trimEnd().split('\n');
    const seqs = lines.map((line) => (JSON.parse(line) as { readonly seq: number }).seq);
    expect(seqs).toEqual(Array.from(seqs, (_, index) => seqs.length - index));
    expect(complaints).toEqual([]);
  });

  test('the log is verified with its signed heads; a record that was changed in the store is named', async () => {
    const owner = await fillUsage(world, 'verifying');
    const { page, complaints } = await enter('/audit/verification', owner);
    await page.getByRole('button', { name: 'Verify all records' }).click();
    await page.getByText(/records are unchanged/).waitFor();
    await eventually(
      'a signed head is verified',
      async () => {
        await page.getByRole('button', { name: 'Verify', exact: false }).first().click();
        await page.locator('.notice-good').waitFor();
        return (await page.getByText(/signed heads? agrees? with them/).count()) > 0 ? true : undefined;
      },
      { timeoutMs: HEAD_MS - 30_000, intervalMs: 2_000 },
    );
    expect(await page.locator('.copyable code').textContent()).toMatch(/^[0-9a-f]{64}$/);
    await page.reload();
    await page.getByText('Verified in this browser up to record').waitFor();
    const client = new pg.Client({ connectionString: world.databaseUrl });
    await client.connect();
    try {
      // As an owner of the database, past the trigger that keeps records from being changed.
      await client.query('set session_replication_role = replica');
      const { rowCount } = await client.query(
        `update keyslot.audit_records set outcome = 'denied' where account_id = $1 and seq = 3`,
        [owner.accountId],
      );
      expect(rowCount).toBe(1);
    } finally {
      await client.end();
    }
    await page.getByRole('button', { name: 'Verify from the first record' }).click();
    await page.getByRole('alert').getByText('Record 3 was changed.').waitFor();
    expect(complaints).toEqual([]);
  });

  test.each([375, 1440])(
    'no barrier, nothing wider than the screen, nothing that moves: %i px',
    async (width) => {
      const { page, complaints } = await enter('', acme, width);
      await page.addInitScript(WATCH_SHIFTS);
      for (const [path, shown] of PAGES) {
        await page.goto(`${world.server.baseUrl}/dashboard${path}`);
        await page.locator(shown).first().waitFor();
        if (path === '/usage') await page.locator('.chart canvas').waitFor();
        expect([path, await findBarriers(page)]).toEqual([path, []]);
        expect([path, await page.evaluate('document.documentElement.scrollWidth <= innerWidth')]).toEqual([
          path,
          true,
        ]);
        expect([path, await page.evaluate('window.shifted')]).toEqual([path, 0]);
      }
      expect(complaints).toEqual([]);
    },
  );
}
