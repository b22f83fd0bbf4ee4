import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { NetworkList, SpanCalls, UsageSum } from '../../generated/account/types.ts';
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

/** A table as the texts of its rows. */
async function rowsOf(page: Page, name: string): Promise<readonly string[]> {
  const rows = await page.getByRole('table', { name }).locator('tbody tr').all();
  const cells = await Promise.all(rows.map((row) => row.locator('td .cell-value, td').allInnerTexts()));
  return cells.map((texts) => texts.join(' | ').replaceAll(/\s+/g, ' '));
}

const sum = (group: string, calls: number, others: Partial<UsageSum> = {}): UsageSum => ({
  ...{ group, calls, errors: 0, caller_errors: 0, refused: 0, weight: calls, messages: 0 },
  ...others,
});
const METHODS = ['getSlot', 'getBlock', 'sendTransaction', 'getBalance', 'getVersion', 'getHealth'].map(
  (method, at) => sum(method, 600 - 100 * at, at === 1 ? { errors: 5, caller_errors: 50 } : {}),
);

/** Answers what the overview asks about usage, by what the sums are of. */
async function serveUsage(page: Page, rowsBy: Readonly<Record<string, readonly UsageSum[]>>): Promise<void> {
  await page.route('**/account/v1/usage?*', (route) => {
    const by = new URL(route.request().url()).searchParams.get('by') ?? 'key';
    return route.fulfill({ json: { since: SINCE, by, rows: rowsBy[by] ?? [] } });
  });
}

describeInBrowser('the overview', (start) => {
  test.each(VIEWS)(
    'shows endpoints, calls, limits and a line for each network, and nothing moves: $width px, $colorScheme',
    async (view) => {
      const { page, complaints, scripted } = await start({}, '/dashboard/keys', view);
      await page.route('**/account/v1/networks', (route) => route.fulfill({ json: SERVED }));
      await serveUsage(page, { method: METHODS, hour: [sum(SINCE, 2_100, { errors: 5, refused: 3 })] });
      await signIn(page);
      await page.getByText('No keys yet').waitFor();
      await page.goto(`${scripted.url}/dashboard`, { waitUntil: 'commit' });
      await page.evaluate(WATCH_SHIFTS);
      await page.getByRole('heading', { name: 'Networks' }).waitFor();
      await page.getByRole('table', { name: 'Top methods' }).getByText('getVersion').waitFor();
      expect(await rowsOf(page, 'Top methods')).toEqual([
        expect.stringMatching(/getSlot.*600.*0.*0/),
        expect.stringMatching(/getBlock.*500.*5 1%.*50 10%/),
        expect.stringMatching(/sendTransaction/),
        expect.stringMatching(/getBalance/),
        expect.stringMatching(/getVersion/),
      ]);
      expect(await rowsOf(page, 'Networks')).toEqual([
        expect.stringMatching(
          /solana, mainnet Ready.*every 400 ms.*Alpenglow.*2 of 2.*4\.4\.0.*at most 2\.5 s/,
        ),
        expect.stringMatching(/solana, devnet Ready.*every 400 ms.*Tower BFT.*2 of 2.*4\.4\.0.*at most 5 ms/),
      ]);
      const limits = page.getByRole('region', { name: 'Limits' });
      await limits.getByText('1,000 left now').waitFor();
      if (IMAGES !== undefined)
        await page.screenshot({
          path: `${IMAGES}/overview-calls-${view.width}-${view.colorScheme}.png`,
          fullPage: true,
        });
      expect(await page.evaluate('window.shifted')).toBe(0);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      expect(await findBarriers(page)).toEqual([]);
      const complaintsOfPage = complaints.filter((text) => !text.includes('WebSocket'));
      expect(complaintsOfPage).toEqual([]);
    },
  );

  test('has each address with the key that was typed behind one button, and a program with it', async () => {
    const { page, scripted } = await start();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await signIn(page);
    const panel = page.getByRole('region', { name: 'Endpoints' });
    await panel.getByLabel('API key').fill(' ks_key_own ');
    const url = `${scripted.url}/solana-localnet?apikey=ks_key_own`;
    const copied = async (name: string): Promise<unknown> => {
      await panel.getByRole('button', { name }).click();
      return page.evaluate('navigator.clipboard.readText()');
    };
    expect(await copied('Copy the JSON-RPC address')).toBe(url);
    expect(await copied('Copy the WebSocket address')).toBe(url.replace('http', 'ws'));
    expect(await copied('Copy the gRPC address')).toBe('https://grpc.example');
    expect(await copied('Copy the Wallets address')).toBe(`${scripted.url}/v1/wallets`);
    for (const language of ['curl', 'Python', 'Go', '@solana/kit', '@solana/web3.js 1.x']) {
      await panel.getByLabel('A first call with').selectOption(language);
      expect(await copied(`Copy the ${language} program`)).toContain('ks_key_own');
    }
    const kept = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, location.href])',
    );
    expect(kept).not.toContain('ks_key_own');
  });

  test('ticks each first step that is done, and leaves them out once all are', async () => {
    const { page, scripted } = await start({ code: '123456' });
    await page.route('**/account/v1/usage/wallets?*', (route) =>
      route.fulfill({
        json: { since: SINCE, by: 'operation', rows: [{ group: 'create', requests: 1, refused: 0 }] },
      }),
    );
    await signIn(page);
    await page.getByLabel('Code').fill('123456');
    await page.keyboard.press('Enter');
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByText('2 of 5 done').waitFor();
    expect(await steps.getByRole('listitem').filter({ hasText: 'done' }).allInnerTexts()).toEqual([
      expect.stringContaining('second factor'),
      expect.stringContaining('wallet'),
    ]);
    await page.route('**/account/v1/networks', (route) => route.fulfill({ json: SERVED }));
    await page.route('**/account/v1/webhooks', (route) =>
      route.fulfill({ json: { webhooks: [{ webhook_id: 'h', name: 'h', state: 'active', events: [] }] } }),
    );
    scripted.addKey('own');
    await page.reload();
    await page.getByRole('heading', { name: 'Endpoints' }).waitFor();
    expect(await steps.count()).toBe(0);
  });

  test('shows calls as they come, and those of another span', async () => {
    const { page } = await start();
    let calls = 100;
    await page.route('**/account/v1/usage?*', (route) => {
      const by = new URL(route.request().url()).searchParams.get('by');
      if (by === 'network') calls += 7;
      const rows = by === 'network' ? [sum('solana-localnet', calls)] : [];
      return route.fulfill({ json: { since: SINCE, by, rows } });
    });
    await signIn(page);
    await page.getByText('No calls in this time').waitFor();
    await page.getByText('Live', { exact: true }).click();
    await page.getByRole('img', { name: 'Calls of the last minute, 5 s apart' }).waitFor();
    await page.locator('.chart-line', { hasText: 'Served 7' }).waitFor();
    await page.getByText('30 days', { exact: true }).click();
    await page.getByRole('img', { name: 'Served calls, errors and refused calls by day' }).waitFor();
  });

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
