import { expect, test } from 'vitest';
import type { Availability, PlannedWork } from '../../generated/account/types.ts';
import { ofServiceLevel } from '../../src/dashboard/pages/overview/service-level-attention.ts';
import {
  printMinutes,
  printPercent,
  printTarget,
} from '../../src/dashboard/pages/service-level/print-minutes.ts';
import { describeStanding, isPast } from '../../src/dashboard/pages/service-level/work-texts.ts';
import { findBarriers } from './axe.ts';
import { describeInBrowser, LOGIN, signIn } from './use-dashboard.ts';
import { WATCH_SHIFTS } from './watch-shifts.ts';
import { VIEWS } from './views.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.now();
/** Where pictures of the page are written. */
const IMAGES = process.env.KEYSLOT_IMAGES;
const OPERATOR = [...LOGIN.scopes, 'operator:read', 'operator:manage', 'billing:read'];

const work = (inHours: number, own: Partial<PlannedWork> = {}): PlannedWork => ({
  work_id: `w${inHours}`,
  note: 'Move to a larger database',
  minutes: 60,
  excluded_minutes: 60,
  starts_at: new Date(NOW_MS + inHours * HOUR_MS).toISOString(),
  ends_at: new Date(NOW_MS + (inHours + 1) * HOUR_MS).toISOString(),
  announced_at: new Date(NOW_MS - 72 * HOUR_MS).toISOString(),
  ...own,
});

const SHOWN: Availability = {
  target_percent: '99.9500',
  service_credits: [
    { below_percent: '99.9500', credit_percent: 10 },
    { below_percent: '99.0000', credit_percent: 25 },
    { below_percent: '95.0000', credit_percent: 100 },
  ],
  current: {
    month: '2026-11',
    availability_percent: '99.9012',
    minutes: 34_000,
    planned_minutes: 60,
    unavailable_minutes: '33.591666',
    credit_percent: 10,
  },
  error_budget: {
    allowed_minutes: '21.57',
    used_minutes: '33.591666',
    left_minutes: '-12.021666',
    left_percent: '-55.7332',
  },
  history: [
    {
      month: '2026-10',
      of: 'account',
      availability_percent: '99.8655',
      minutes: 44_640,
      unavailable_minutes: '60',
      credit_usd: '12.345679',
    },
    {
      month: '2026-09',
      of: 'service',
      availability_percent: '100.0000',
      minutes: 43_200,
      unavailable_minutes: '0',
    },
  ],
  planned_work: [
    work(-400, { note: 'The first disk' }),
    work(-50, { note: 'The second disk' }),
    work(-0.5, { note: 'Restart for updates', excluded_minutes: 0, counts_because: 'announced_late' }),
    work(30, { excluded_minutes: 20, counts_because: 'allowance_used' }),
    work(200),
  ],
};
const CALM: Availability = {
  ...SHOWN,
  current: {
    ...SHOWN.current,
    availability_percent: '99.9900',
    unavailable_minutes: '3.4',
    credit_percent: 0,
  },
  error_budget: {
    ...SHOWN.error_budget,
    used_minutes: '3.4',
    left_minutes: '18.17',
    left_percent: '84.2373',
  },
  planned_work: [],
};

test('a used up budget, and work within 48 hours or under way, need attention; nothing else does', () => {
  expect(ofServiceLevel(undefined, NOW_MS)).toEqual([]);
  expect(ofServiceLevel(CALM, NOW_MS)).toEqual([]);
  const texts = ofServiceLevel(SHOWN, NOW_MS).map(({ tone, text }) => `${tone} ${text}`);
  expect(texts).toEqual([
    'bad The error budget of this month is used up: the wallet service was available 99.9012 % of the time so far.',
    expect.stringMatching(/^warn Work on the server is under way until .*: Restart for updates\.$/),
    expect.stringMatching(/^warn Work on the server is planned for .*: Move to a larger database\.$/),
  ]);
  const at = (inHours: number) => ofServiceLevel({ ...CALM, planned_work: [work(inHours)] }, NOW_MS).length;
  expect([at(48), at(48.01), at(-0.99), at(-1)]).toEqual([1, 0, 1, 0]);
});

test('what is used is never shown as less, and what is left never as more', () => {
  expect([printMinutes('8.641666', 'up'), printMinutes('8.641666'), printMinutes('-0.001')]).toEqual([
    ...['8.65', '8.64', '-0.01'],
  ]);
  expect(['99.9500', '100.0000', '99.9012', '99.9000'].map(printPercent)).toEqual([
    ...['99.95 %', '100.00 %', '99.9012 %', '99.90 %'],
  ]);
  expect(['99.9500', '99.0000', '100.0000'].map(printTarget)).toEqual(['99.95 %', '99 %', '100 %']);
});

test('work says which of its minutes count, and why', () => {
  expect(SHOWN.planned_work.slice(2).map(describeStanding)).toEqual([
    'Counts towards availability: it was announced less than a day in advance.',
    '40 minutes count: the month has no more minutes for planned work.',
    'Does not count towards availability.',
  ]);
});

test('work is over at its end', () => {
  expect([isPast(work(-1), NOW_MS), isPast(work(-0.99), NOW_MS)]).toEqual([true, false]);
});

describeInBrowser('the page of the service level', (start) => {
  test.each(VIEWS)(
    'has no barrier, is no wider than the screen, and does not move: $width px, $colorScheme',
    async (view) => {
      const { page, complaints, scripted } = await start({ scopes: OPERATOR }, '/dashboard/keys', view);
      await page.route('**/account/v1/availability', (route) => route.fulfill({ json: SHOWN }));
      await signIn(page);
      await page.getByText('No keys yet').waitFor();
      await page.goto(`${scripted.url}/dashboard/service-level`, { waitUntil: 'commit' });
      await page.evaluate(WATCH_SHIFTS);
      await page.getByRole('row', { name: '2026-10' }).waitFor();
      const progress = page.getByRole('progressbar', { name: 'Error budget used' });
      expect(await progress.getAttribute('max')).toBe('21.57');
      expect(await page.getByText('33.6 of 21.57 minutes of the error budget are used.').count()).toBe(1);
      expect(await page.getByText('10 % of what the wallet service charged').count()).toBe(1);
      expect(await page.getByText('10 % below 99.95 %, 25 % below 99 %, 100 % below 95 %').count()).toBe(1);
      expect(await page.getByRole('row', { name: '2026-10' }).getByText('$12.345679').count()).toBe(1);
      expect(await page.getByText('40 minutes count').count()).toBe(1);
      const past = page.getByRole('table', { name: 'Past work' }).getByRole('row');
      const notes = await past.filter({ hasText: 'disk' }).allInnerTexts();
      expect(notes.map((text) => /The \w+ disk/.exec(text)?.[0])).toEqual([
        'The second disk',
        'The first disk',
      ]);
      const cancels = page.getByRole('button', { name: 'Cancel the work' });
      expect(await cancels.count()).toBe(2);
      if (IMAGES !== undefined)
        await page.screenshot({
          path: `${IMAGES}/service-level-${view.width}-${view.colorScheme}.png`,
          fullPage: true,
        });
      expect(await page.evaluate('window.shifted')).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      expect(await findBarriers(page)).toEqual([]);
      await page.getByRole('button', { name: 'Announce work' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(complaints).toEqual([]);
    },
  );

  test('work is announced with the keyboard, and what counts of it is said; it is cancelled', async () => {
    const { page } = await start({ scopes: OPERATOR }, '/dashboard/service-level');
    let planned: readonly PlannedWork[] = [];
    const asked: unknown[] = [];
    await page.route('**/account/v1/availability', (route) =>
      route.fulfill({ json: { ...CALM, planned_work: planned } }),
    );
    await page.route('**/account/v1/operator/planned-work**', async (route) => {
      const request = route.request();
      const answered = work(30, { excluded_minutes: 0, counts_because: 'announced_late' });
      asked.push([request.method(), new URL(request.url()).pathname, request.postDataJSON()]);
      planned = request.method() === 'POST' ? [answered] : [];
      await route.fulfill({ status: request.method() === 'POST' ? 201 : 200, json: answered });
    });
    await signIn(page);
    await page.getByText('No work is planned').waitFor();
    await page.getByRole('button', { name: 'Announce work' }).focus();
    await page.keyboard.press('Enter');
    await page.getByLabel('Start').fill('2030-01-17T02:00');
    await page.getByLabel('Minutes', { exact: true }).fill('90');
    await page.getByLabel('Description').fill('A new disk');
    await page.keyboard.press('Enter');
    await page
      .getByText('Counts towards availability: it was announced less than a day in advance.')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const zone = Number(await page.evaluate('new Date(2030, 0, 17, 2).getTime()'));
    expect(asked).toEqual([
      [
        'POST',
        '/account/v1/operator/planned-work',
        {
          starts_at: new Date(zone).toISOString(),
          ends_at: new Date(zone + 1.5 * HOUR_MS).toISOString(),
          note: 'A new disk',
        },
      ],
    ]);
    await page.getByRole('button', { name: 'Cancel the work' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the work' }).click();
    await page.getByText('No work is planned').waitFor();
    expect(asked[1]).toEqual(['DELETE', '/account/v1/operator/planned-work/w30', null]);
  });

  test('a member who does not operate the server is offered no change, and without money sees none', async () => {
    const { page } = await start({}, '/dashboard/service-level');
    await page.route('**/account/v1/availability', (route) => route.fulfill({ json: SHOWN }));
    await signIn(page);
    await page.getByRole('row', { name: '2026-10' }).waitFor();
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0);
    expect(await page.getByRole('columnheader', { name: 'Refunded' }).count()).toBe(0);
  });

  test('the overview says what needs attention, and leads to the page', async () => {
    const { page } = await start({}, '/dashboard');
    await page.route('**/account/v1/availability', (route) => route.fulfill({ json: SHOWN }));
    await signIn(page);
    const item = page.getByRole('listitem').filter({ hasText: 'The error budget of this month is used up' });
    await item.getByRole('link', { name: 'Service level' }).click();
    await page.getByRole('heading', { level: 1, name: 'Service level' }).waitFor();
  });
});
