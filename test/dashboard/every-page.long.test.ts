import { mkdir } from 'node:fs/promises';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listInvoices } from '../../src/account/billing/invoices/read-invoices.ts';
import { eventually } from '../../src/core/eventually.ts';
import { PASSWORD } from '../account/api/live/provision-members.ts';
import { type MemberServer, startMemberServer } from '../account/api/sessions/member-server.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { findBarriers } from './axe.ts';
import { BILLING_ENV, fillBilling, SECOND_MONTH } from './fill-billing.ts';
import { type FilledAccount, fillAccount } from './fill-account.ts';
import { findOverlaps } from './find-overlaps.ts';
import { openDashboard } from './open-dashboard.ts';
import { OTHER_VIEWS, VIEWS } from './views.ts';
import { WATCH_SHIFTS } from './watch-shifts.ts';

const ACCOUNT = 'acme';
const INVOICE = 'INV-000002';
/** Pages and views that the navigation does not lead to itself. */
const DEEPER = [
  ...['/keys/tokens', '/usage/wallets', '/usage/limits', '/audit/verification'],
  ...['/billing/invoices', `/billing/invoices/${INVOICE}`],
  ...['/billing/statements', `/billing/statements/${SECOND_MONTH}`, '/billing/entries'],
  `/operator/invoices/${INVOICE}`,
];
/** The narrowest screen on which a table next to the navigation is not a list. */
const BETWEEN = { width: 801, colorScheme: 'light' } as const;
/** Where `make images` writes pictures of the pages. */
const IMAGES = process.env.KEYSLOT_IMAGES;

const executable = findChromium();
const postgres = await findPostgres();

if (executable === undefined) test('every page', (context) => context.skip(CHROMIUM_MISSING));
else if (postgres === undefined) test('every page', (context) => context.skip(POSTGRES_MISSING));
else describe('every page', () => pages(executable, postgres));

function pages(chromium: string, postgresUrl: string): void {
  let browser: Browser;
  let world: MemberServer;
  let account: FilledAccount;

  beforeAll(async () => {
    [browser, world] = await Promise.all([
      startChromium(chromium),
      startMemberServer(postgresUrl, {
        env: BILLING_ENV,
        fill: (store) => fillBilling(store, [ACCOUNT]),
      }),
    ]);
    account = await fillAccount(world, ACCOUNT);
    await eventually('the months are closed', async () =>
      (await listInvoices(world.members.store.db, { accountId: undefined, limit: 2 })).length === 2
        ? true
        : undefined,
    );
    if (IMAGES !== undefined) await mkdir(IMAGES, { recursive: true });
  });

  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  test.each(IMAGES === undefined ? [...OTHER_VIEWS, BETWEEN] : [...VIEWS, ...OTHER_VIEWS])(
    'has no barrier, shows all of it on the screen, does not move and asks nobody else: $width px, $colorScheme',
    async (view) => {
      const { baseUrl } = world.server;
      const { page, requests, complaints } = await openDashboard(browser, `${baseUrl}/dashboard`, view);
      await page.getByLabel('Email').fill(account.email);
      await page.getByLabel('Password').fill(PASSWORD);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
      const faults: string[] = [];
      const links = await page
        .getByRole('navigation', { includeHidden: true })
        .getByRole('link', { includeHidden: true })
        .all();
      const paths = await Promise.all(links.map((link) => link.getAttribute('href')));
      expect(paths.length).toBeGreaterThan(8);
      for (const path of [...paths, ...DEEPER.map((path) => `/dashboard${path}`)]) {
        const title = String(path);
        await page.goto(`${baseUrl}${title}`, { waitUntil: 'commit' });
        await page.evaluate(WATCH_SHIFTS);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await page.locator('[aria-busy=true]').waitFor({ state: 'detached' });
        await page.waitForLoadState('load');
        const shifted = Number(await page.evaluate('window.shifted'));
        if (shifted > 0) faults.push(`${title}: moved by ${shifted}`);
        faults.push(...(await findOverlaps(page)).map((overlap) => `${title}: ${overlap}`));
        faults.push(...(await findBarriers(page)).map((barrier) => `${title}: ${barrier}`));
        const name = title.slice(1).replaceAll('/', '-');
        if (IMAGES !== undefined)
          await page.screenshot({ path: `${IMAGES}/${name}-${view.width}-${view.colorScheme}.png` });
      }
      expect(faults).toEqual([]);
      expect(complaints).toEqual([]);
      const origins = new Set(requests.map((address) => new URL(address).origin));
      expect([...origins]).toEqual([new URL(baseUrl).origin]);
    },
  );
}
