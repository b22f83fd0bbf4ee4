import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { AuditRecord } from '../../generated/account/types.ts';
import { findOverlaps } from './find-overlaps.ts';
import { describeInBrowser, LOGIN, signIn } from './use-dashboard.ts';

/** Where pictures of the pages are written. */
const IMAGES = process.env.KEYSLOT_IMAGES;
/** From the width at which a table is no longer a list to that of a desktop. */
const TABLE_WIDTHS = [720, 900, 1100, 1440];
const HASH = '0'.repeat(64);
const OUTCOMES = [
  'ok',
  'idempotency_key_conflict',
  'invoice_threshold_reached',
  'wallet_create_limit_exceeded',
];
const RECORDS: readonly AuditRecord[] = OUTCOMES.map((outcome, index) => ({
  account_id: 'a1',
  seq: 1_234_567 - index,
  at: '2026-11-24T09:30:00.000Z',
  outcome,
  action: 'createaccountsetuplink',
  request_id: 'req_1',
  units: 1,
  previous_hash: HASH,
  hash: HASH,
  token_name: 'deployment of the payments service',
}));
const PLAN = { name: 'standard', requests_per_second: 100_000, burst: 200_000 };
const LIMIT = { requests: 600_000, window_seconds: 60, remaining: 599_999, reset_seconds: 42 };
const ANSWERS = {
  'GET /audit': { records: RECORDS },
  'GET /members': { members: [] },
  'GET /account': {
    account_id: 'a1',
    name: 'Acme',
    plan: PLAN,
    billing: 'prepaid',
    created_at: RECORDS[0]?.at,
    wallet_create_limit: LIMIT,
    wallet_use_limit: LIMIT,
  },
};
/** Of an owner of an account that operates the server: the navigation has every entry. */
const ALL_SCOPES = [...LOGIN.scopes, 'billing:read', 'operator:read', 'operator:manage'];

async function take(page: Page, name: string): Promise<void> {
  if (IMAGES !== undefined) await page.screenshot({ path: `${IMAGES}/${name}.png` });
}

describeInBrowser('tables', (start) => {
  test.each(TABLE_WIDTHS)(
    'of the audit log show who acted next to the longest outcomes: %i px',
    async (width) => {
      const { page } = await start({ answers: ANSWERS }, '/dashboard/audit', { width });
      await signIn(page);
      await page.getByText('invoice_').waitFor();
      await take(page, `audit-${width}`);
      expect(await findOverlaps(page)).toEqual([]);
    },
  );

  test.each(TABLE_WIDTHS)('of keys and tokens show all their buttons: %i px', async (width) => {
    const { page, scripted } = await start({}, '/dashboard/keys', { width });
    for (const name of ['payments', 'checkout of the shop']) scripted.addKey(name);
    await signIn(page);
    await page.getByRole('button', { name: 'Rotate checkout of the shop' }).click();
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('rotated').waitFor();
    await take(page, `keys-${width}`);
    expect(await findOverlaps(page)).toEqual([]);
    if (width === 1440) {
      const buttons = page.getByRole('row', { name: 'payments' }).getByRole('button');
      const [rotate, revoke] = await Promise.all([
        buttons.first().boundingBox(),
        buttons.last().boundingBox(),
      ]);
      expect(revoke?.y).toBe(rotate?.y);
    }
  });
});

describeInBrowser('on a narrow screen', (start) => {
  test.each([320, 375])('the limits are not wider than it: %i px', async (width) => {
    const { page } = await start({ answers: ANSWERS }, '/dashboard/usage/limits', { width });
    await signIn(page);
    await page.getByText('599,999 left now').first().waitFor();
    await take(page, `limits-${width}`);
    expect(await findOverlaps(page)).toEqual([]);
  });
});

describeInBrowser('the way out', (start) => {
  test.each([375, 1440])(
    'is on a screen of 900 px, whatever the navigation lists: %i px wide',
    async (width) => {
      const { page } = await start({ scopes: ALL_SCOPES }, '/dashboard/keys', { width });
      await signIn(page);
      await page.getByText('No keys yet').waitFor();
      if (width < 800) await page.getByRole('button', { name: 'Menu' }).click();
      const signOut = page.getByRole('button', { name: 'Sign out' });
      await signOut.waitFor();
      await take(page, `way-out-${width}`);
      const { y = 0, height = 0 } = (await signOut.boundingBox()) ?? {};
      expect(y + height).toBeLessThanOrEqual(900);
      const last = page.getByRole('link', { name: 'Limit requests' });
      const scrolled = await page
        .getByRole('navigation', { name: 'Pages' })
        .evaluate((nav) => nav.scrollHeight - nav.clientHeight);
      if (width > 800) expect(scrolled).toBeLessThanOrEqual(0);
      await last.scrollIntoViewIfNeeded();
      await last.click();
      await page.getByRole('heading', { level: 1, name: 'Limit requests' }).waitFor();
    },
  );
});
