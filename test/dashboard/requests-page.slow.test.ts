import { expect, test } from 'vitest';
import {
  fromLocalInput,
  printFilters,
  readFilters,
  toLocalInput,
} from '../../src/dashboard/pages/requests/request-filters.ts';
import { findBarriers } from './axe.ts';
import { describeInBrowser, signIn } from './use-dashboard.ts';
import { VIEWS } from './views.ts';

/** Where pictures of the page are written. */
const IMAGES = process.env.KEYSLOT_IMAGES;
const ID = 'req_AJ3vENdgzCgJ5k5ffBdr8x';
const OK = {
  id: '115000000000000001',
  request_id: 'req_7PqkT2mYcV9sWn4hRbXe3L',
  at: '2026-11-24T09:30:01.120Z',
  protocol: 'json_rpc',
  network: 'solana-localnet',
  method: 'getBalance',
  key_id: '3f0c1a52-7a3e-4c1b-9f0e-2b6d6a8c9e11',
  caller_name: 'checkout',
  status: 200,
  duration_us: 1_234,
  bytes_in: 112,
  bytes_out: 96,
  node: 'node-1',
};
const FAILED = {
  ...OK,
  id: '115000000000000000',
  request_id: ID,
  method: 'getMultipleAccounts',
  caller_name: 'a key with a name that is rather long for a narrow screen',
  error: 'node_error',
  rpc_code: -32_602,
  duration_us: 212_000,
  params: '[["4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"],{"commitment":"confirmed"}]',
};
const ANSWERS = {
  'GET /requests': { requests: [OK, FAILED] },
  [`GET /requests/${ID}`]: { request_id: ID, requests: [FAILED] },
  'GET /members': { members: [] },
};

test('filters are read from the address and printed to it; what has no meaning is left out', () => {
  const texts = { method: 'getSlot', outcome: 'failed', status: '429', protocol: 'wallets', node: ' ' };
  const params = new URLSearchParams({ ...texts, min_bytes: '-1', since: '2026-01-15T09:30:00.000Z' });
  expect(readFilters(params)).toEqual({
    method: 'getSlot',
    outcome: 'failed',
    status: 429,
    protocol: 'wallets',
    since: '2026-01-15T09:30:00.000Z',
  });
  expect(readFilters(new URLSearchParams({ protocol: 'smtp', outcome: 'maybe', status: 'x' }))).toEqual({});
  expect(printFilters({ method: 'getSlot', error: '', node: ' ' })).toEqual({ method: 'getSlot' });
  expect(fromLocalInput(toLocalInput('2026-01-15T09:30:00.000Z'))).toBe('2026-01-15T09:30:00.000Z');
  expect([toLocalInput(undefined), fromLocalInput('')]).toEqual(['', '']);
});

describeInBrowser('the page of requests', (start) => {
  test.each(VIEWS)(
    'lists, filters and follows them, and shows each: $width px, $colorScheme',
    async (view) => {
      const { page, complaints, scripted } = await start({ answers: ANSWERS }, '/dashboard/requests', view);
      await signIn(page);
      await page.getByRole('row', { name: 'getBalance' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      if (IMAGES !== undefined)
        await page.screenshot({
          path: `${IMAGES}/requests-${view.width}-${view.colorScheme}.png`,
          fullPage: true,
        });

      await page.getByLabel('Outcome', { exact: true }).selectOption('failed');
      await page.getByLabel('Method or operation').fill('getMultipleAccounts');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.waitForURL('**/requests?*outcome=failed*');
      expect(new URL(page.url()).searchParams.get('method')).toBe('getMultipleAccounts');
      await page.reload();
      await page.getByRole('row', { name: 'getBalance' }).waitFor();
      expect(await page.getByLabel('Method or operation').inputValue()).toBe('getMultipleAccounts');

      await page.getByText('More filters').click();
      await page.getByLabel('HTTP status').fill('429');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/requests?*status=429*');
      expect(await page.getByLabel('HTTP status').isVisible()).toBe(true);
      expect(await findBarriers(page)).toEqual([]);

      const before = scripted.requests.length;
      await page.getByRole('button', { name: 'Follow live' }).click();
      await expect
        .poll(
          () =>
            scripted.requests.slice(before).filter(({ operation }) => operation === 'GET /requests').length,
          {
            timeout: 30_000,
          },
        )
        .toBeGreaterThan(1);
      await page.getByRole('button', { name: 'Following' }).click();

      await page.getByRole('link', { name: `Details of getMultipleAccounts, ${ID}` }).click();
      await page.getByRole('heading', { name: 'getMultipleAccounts' }).waitFor();
      await page.getByText('-32602').first().waitFor();
      await page.getByText('4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      if (IMAGES !== undefined)
        await page.screenshot({
          path: `${IMAGES}/request-${view.width}-${view.colorScheme}.png`,
          fullPage: true,
        });
      await page.goBack();
      await page.waitForURL('**/requests?*outcome=failed*');
      expect(complaints).toEqual([]);
    },
  );

  test('an id leads to its request, an unknown one says so, and an id in an error message leads there', async () => {
    const { page } = await start({ answers: ANSWERS }, '/dashboard/requests');
    await signIn(page);
    await page.getByLabel('Request id').fill(ID);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'getMultipleAccounts' }).waitFor();
    await page.goto(page.url().replace('/requests/', '/audit?'));
    const link = page.getByRole('link', { name: 'req_scripted' }).first();
    expect(await link.getAttribute('href')).toBe('/dashboard/requests/req_scripted');
  });
});
