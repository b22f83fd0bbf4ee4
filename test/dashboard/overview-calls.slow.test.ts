import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { NetworkList, SpanCalls } from '../../generated/account/types.ts';
import { findBarriers } from './axe.ts';
import { describeInBrowser, signIn } from './use-dashboard.ts';
import { WATCH_SHIFTS } from './watch-shifts.ts';
import { VIEWS } from './views.ts';

const SINCE = '2026-11-24T08:30:00.000Z';
const KNOWN = '2026-11-20T09:35:00.000Z';
const NETWORK = {
  name: 'solana',
  state: 'ready',
  nodes: 2,
  reachable_nodes: 2,
  versions: ['4.4.0'],
  slot_ms: 400,
};

/** Where pictures of the page are written. */
const IMAGES = process.env.KEYSLOT_IMAGES;

const span = (name: SpanCalls['span'], calls: number, errors: number, own: readonly number[]) => {
  const [ownCalls = 0, ownErrors = 0, callerErrors = 0, refused = 0] = own;
  const counts = { calls: ownCalls, errors: ownErrors, caller_errors: callerErrors, refused };
  return { span: name, since: SINCE, calls, errors, own: counts };
};
const SERVED: NetworkList = {
  networks: [
    {
      ...NETWORK,
      state: 'ready',
      consensus: 'alpenglow',
      environment: 'mainnet',
      rpc_path: '/solana-mainnet',
      spans: [
        { ...span('hour', 12_034, 3, [211, 1, 120, 0]), p99_ms: 50 },
        { ...span('day', 302_118, 41, [5_120, 9, 240, 0]), p99_ms: 2_500 },
        {
          ...span('month', 104_120_334, 51_245, [93_121, 88, 41, 12]),
          known_since: KNOWN,
          p99_above_ms: 30_000,
        },
      ],
    },
    {
      ...NETWORK,
      state: 'ready',
      consensus: 'tower',
      environment: 'devnet',
      rpc_path: '/solana-devnet',
      spans: [
        span('hour', 0, 0, []),
        { ...span('day', 7, 0, [7, 0, 0, 0]), p99_ms: 5 },
        { ...span('month', 7, 0, [7, 0, 0, 0]), p99_ms: 5 },
      ],
    },
  ],
};

/** Each table as its accessible name and the texts of its rows. */
async function tablesOf(page: Page): Promise<Readonly<Record<string, readonly string[]>>> {
  const tables = await page.getByRole('table').all();
  const read = tables.map(async (table) => {
    const rows = await table.locator('tbody tr').all();
    const cells = await Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
    return [
      await table.locator('caption').textContent(),
      cells.map((texts) => texts.join(' | ').replaceAll(/\s+/g, ' ')),
    ] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

describeInBrowser('calls on the overview', (start) => {
  test.each(VIEWS)(
    'are those of each network in the last hour, day and month, in line, and nothing moves: $width px, $colorScheme',
    async (view) => {
      const { page, complaints, scripted } = await start({}, '/dashboard/keys', view);
      await page.route('**/account/v1/networks', (route) => route.fulfill({ json: SERVED }));
      await signIn(page);
      await page.getByText('No keys yet').waitFor();
      await page.goto(`${scripted.url}/dashboard`, { waitUntil: 'commit' });
      await page.evaluate(WATCH_SHIFTS);
      await page.getByRole('heading', { name: 'Networks' }).waitFor();
      expect(await tablesOf(page)).toEqual({
        'Calls of all accounts on solana, mainnet': [
          'hour | 12,034 | 3 0.025% | at most 50 ms',
          '24 hours | 302,118 | 41 0.014% | at most 2.5 s',
          '30 days | 104,120,334 | 51,245 0.049% | over 30 s',
        ],
        'Calls of all accounts on solana, devnet': [
          'hour | 0 | 0 | –',
          '24 hours | 7 | 0 | at most 5 ms',
          '30 days | 7 | 0 | at most 5 ms',
        ],
        'Calls of this account on solana, mainnet': [
          'hour | 211 | 1 0.47% | 120 57% | 0',
          '24 hours | 5,120 | 9 0.18% | 240 4.7% | 0',
          '30 days | 93,121 | 88 0.095% | 41 0.044% | 12',
        ],
        'Calls of this account on solana, devnet': [
          'hour | 0 | 0 | 0 | 0',
          '24 hours | 7 | 0 | 0 | 0',
          '30 days | 7 | 0 | 0 | 0',
        ],
      });
      const counted = page.getByRole('article', { name: 'solana, mainnet' }).getByText('Counted since');
      expect(await counted.locator('time').getAttribute('datetime')).toBe(KNOWN);
      expect(await page.getByText('Counted since').count()).toBe(1);
      if (IMAGES !== undefined)
        await page.screenshot({
          path: `${IMAGES}/overview-calls-${view.width}-${view.colorScheme}.png`,
          fullPage: true,
        });
      const misplaced = await page.evaluate(`[...document.querySelectorAll('.span-table')].flatMap((table) =>
        [...table.rows].flatMap((row) => [...row.cells].filter((cell, column) => {
          const head = table.rows[0].cells[column].getBoundingClientRect();
          const own = cell.getBoundingClientRect();
          return Math.abs(own.right - head.right) > 0.5 || cell.scrollWidth > cell.clientWidth;
        }).map((cell) => cell.textContent)))`);
      expect(misplaced).toEqual([]);
      const asked = scripted.requests.filter(({ operation }) => operation.includes('/usage'));
      expect(asked).toEqual([]);
      expect(await page.evaluate('window.shifted')).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      expect(await findBarriers(page)).toEqual([]);
      const complaintsOfPage = complaints.filter((text) => !text.includes('WebSocket'));
      expect(complaintsOfPage).toEqual([]);
    },
  );

  test('of an account with nothing but refused calls, those are said to need attention', async () => {
    const { page } = await start({}, '/dashboard');
    const refused = SERVED.networks.map((network) => ({
      ...network,
      spans: network.spans.map((each) => ({
        ...each,
        own: { calls: 0, errors: 0, caller_errors: 0, refused: 4 },
      })),
    }));
    await page.route('**/account/v1/networks', (route) => route.fulfill({ json: { networks: refused } }));
    await signIn(page);
    await page.getByText('8 calls were refused in the last 24 hours').waitFor();
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
  });
});

describeInBrowser('the address of the topic streams in the settings', (start) => {
  test('is shown, and copied', async () => {
    const { page } = await start({}, '/dashboard/settings');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page);
    await page.getByText('https://grpc.example').waitFor();
    await page.getByRole('button', { name: 'Copy the gRPC address of the topic streams' }).click();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe('https://grpc.example');
  });

  test('names the setting where the server cannot know it', async () => {
    const { page } = await start({}, '/dashboard/settings');
    await page.route('**/account/v1/session', async (route) => {
      const response = await route.fetch();
      if (!response.ok()) return route.fulfill({ response });
      const { grpc_url: _, ...session } = await response.json();
      return route.fulfill({ response, json: session });
    });
    await signIn(page);
    await page.getByText('grpc.public_url').waitFor();
    expect(await page.getByText('https://grpc.example').count()).toBe(0);
  });
});
