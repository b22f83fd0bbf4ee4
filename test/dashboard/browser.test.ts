import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { findBarriers } from './axe.ts';
import { type DashboardView, openDashboard } from './open-dashboard.ts';
import { type ScriptedLogin, SETUP_TOKEN, startScriptedAccount } from './scripted-account.ts';

const executable = findChromium();

if (executable === undefined) test('the dashboard', (context) => context.skip(CHROMIUM_MISSING));
else describe('the dashboard', { timeout: 60_000 }, () => inBrowser(executable));

const LOGIN: ScriptedLogin = {
  email: 'ann@example.com',
  password: 'correct horse battery',
  scopes: ['account:read', 'keys:manage', 'tokens:manage', 'wallets:read', 'audit:read'],
};

/** Adds up how far the page's content moved by itself. */
const WATCH_SHIFTS = `window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true })`;

const WIDTHS = [375, 1440] as const;

function inBrowser(chromium: string): void {
  let browser: Browser;

  beforeAll(async () => {
    browser = await startChromium(chromium);
  });

  afterAll(async () => {
    await browser.close();
  });

  const start = async (login: Partial<ScriptedLogin> = {}, path = '/dashboard', view: DashboardView = {}) => {
    const scripted = await startScriptedAccount({ ...LOGIN, ...login });
    onTestFinished(() => scripted.close());
    return { scripted, ...(await openDashboard(browser, `${scripted.url}${path}`, view)) };
  };

  const signIn = async (page: Page, password = LOGIN.password): Promise<void> => {
    await page.getByLabel('Email').fill(LOGIN.email);
    await page.getByLabel('Password').fill(password);
    await page.keyboard.press('Enter');
  };

  const createKey = async (page: Page, name: string): Promise<void> => {
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'I have copied it' }).click();
  };

  test('a wrong password is refused in words; with the right one and the code the overview opens', async () => {
    const { page, complaints, requests, scripted } = await start({ code: '123456' });
    await signIn(page, 'wrong');
    await page.getByText('The email or the password is wrong.').waitFor();
    await signIn(page);
    await page.getByRole('heading', { name: 'Second factor' }).waitFor();
    await page.getByLabel('Code').fill('000000');
    await page.keyboard.press('Enter');
    await page.getByText('The code is wrong or was already used').waitFor();
    await page.getByLabel('Code').fill('123456');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(await page.title()).toBe('Overview · Keyslot');
    expect(await page.getByText(`${scripted.url}/solana-localnet`).count()).toBe(1);
    expect(requests.filter((address) => new URL(address).origin !== scripted.url)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a page deep below loads its assets, and its title and place in the navigation are right', async () => {
    const { page, complaints } = await start({}, '/dashboard/keys');
    await signIn(page);
    await page.getByRole('heading', { name: 'Keys and tokens' }).waitFor();
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    expect(await navigation.locator('[aria-current="page"]').textContent()).toBe('Keys and tokens');
    expect(complaints).toEqual([]);
  });

  test('the navigation names only what the scopes allow, and the address of another page is not found', async () => {
    const { page } = await start({ scopes: ['account:read'] }, '/dashboard/audit');
    await signIn(page);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    const names = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    expect(names).toContain('Keys and tokens');
    expect(names.filter((name) => ['Wallets', 'Audit log', 'Operator'].includes(name))).toEqual([]);
    await page.getByRole('link', { name: 'Keys and tokens' }).click();
    await page.getByText('No keys yet').waitFor();
    expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
  });

  test('a set-up link signs in at once; its token leaves the address bar before anything else', async () => {
    const { page, scripted } = await start({}, `/dashboard/setup#token=${SETUP_TOKEN}`);
    await page.getByLabel('Your name').fill('Ann');
    expect(page.url()).toBe(`${scripted.url}/dashboard/setup`);
    await page.getByLabel('Email').fill(LOGIN.email);
    await page.getByLabel('New password').fill(LOGIN.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    expect(scripted.requests[0]).toMatchObject({
      operation: 'POST /setup-links/accept',
      body: { setup_token: SETUP_TOKEN, email: LOGIN.email, name: 'Ann' },
    });
    expect(page.url()).toBe(`${scripted.url}/dashboard/`);
  });

  test('a link without its token says what to do', async () => {
    const { page } = await start({}, '/dashboard/invitation');
    await page.getByText('Open the whole link that you were given').waitFor();
  });

  test('a server without mail says so where a password is forgotten', async () => {
    const { page } = await start();
    await page.getByRole('link', { name: 'Forgot your password?' }).click();
    await page.getByLabel('Email').fill(LOGIN.email);
    await page.keyboard.press('Enter');
    await page.getByText('This server sends no mail.').waitFor();
  });

  test('a key is created, shown once with programs that use it, rotated and revoked', async () => {
    const { page, scripted, complaints } = await start({}, '/dashboard/keys');
    await signIn(page);
    await page.getByRole('button', { name: 'Create a key' }).click();
    await page.getByLabel('Name', { exact: true }).fill('checkout');
    await page.getByLabel('Origins').fill('https://app.example\nhttps://b.example');
    await page.getByLabel('Networks').fill('10.0.0.0/8');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Your key checkout' });
    await dialog.getByText('ks_key_0secret', { exact: true }).waitFor();
    expect(await dialog.locator('pre').textContent()).toContain(
      `createSolanaRpc('${scripted.url}/solana-localnet?apikey=ks_key_0secret')`,
    );
    await dialog.getByLabel('With').selectOption('curl');
    expect(await dialog.locator('pre').textContent()).toContain(`curl -sS '${scripted.url}/solana-localnet`);
    await page.keyboard.press('Escape');
    await dialog.getByRole('button', { name: 'I have copied it' }).click();
    expect(await page.content()).not.toContain('ks_key_0secret');
    const row = page.getByRole('row', { name: 'checkout' });
    expect(await row.textContent()).toContain('https://app.example');
    await row.getByRole('button', { name: 'Rotate checkout' }).click();
    await page.getByLabel('The old key stops working').selectOption('At once');
    await page.getByRole('button', { name: 'Rotate', exact: true }).click();
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('expired').waitFor();
    await page.getByRole('button', { name: 'Revoke checkout' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByText('revoked').waitFor();
    const made = scripted.requests.filter(({ operation }) => operation.startsWith('POST /keys'));
    expect(made.map(({ body }) => body)).toEqual([
      {
        name: 'checkout',
        allowed_origins: ['https://app.example', 'https://b.example'],
        allowed_cidrs: ['10.0.0.0/8'],
      },
      { overlap_seconds: 0 },
    ]);
    expect(complaints).toEqual([]);
  });

  test('a token is created with chosen scopes and an expiry, and needs a scope', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys/tokens');
    await signIn(page);
    await page.getByRole('button', { name: 'Create a token' }).click();
    await page.getByLabel('Name', { exact: true }).fill('payouts');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('Choose at least one.').waitFor();
    // A scope of sessions alone is not offered.
    expect(await page.getByLabel('audit:read').count()).toBe(0);
    await page.getByLabel('wallets:read').check();
    await page.getByLabel('It stops working').selectOption('In 30 days');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('ks_tok_1secret', { exact: true }).waitFor();
    expect(scripted.requests.find(({ operation }) => operation === 'POST /tokens')?.body).toEqual({
      name: 'payouts',
      scopes: ['wallets:read'],
      expires_in_seconds: 2_592_000,
    });
  });

  test('a list of more than a page goes to older entries and back', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys');
    await signIn(page);
    await page.getByText('No keys yet').waitFor();
    for (let made = 0; made < 26; made += 1) scripted.addKey(`key-${made}`);
    await createKey(page, 'newest');
    await page.getByRole('row', { name: 'newest' }).waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByRole('row', { name: 'key-0' }).waitFor();
    await page.getByRole('button', { name: 'Newer' }).click();
    await page.getByRole('row', { name: 'newest' }).waitFor();
  });

  test('a session that has ended leads to the sign-in, and nothing that was read stays', async () => {
    const { page, scripted } = await start({}, '/dashboard/keys');
    await signIn(page);
    await createKey(page, 'checkout');
    await page.getByRole('row', { name: 'checkout' }).waitFor();
    scripted.endSession();
    await page.getByRole('button', { name: 'Revoke checkout' }).click();
    await page.getByRole('button', { name: 'Revoke the key' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await page.content()).not.toContain('checkout');
  });

  test('signing out leaves nothing in the storage of the browser', async () => {
    const { page } = await start({}, '/dashboard/keys');
    await signIn(page);
    await createKey(page, 'checkout');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    const kept = await page.evaluate(`Promise.all([indexedDB.databases(), caches.keys()]).then((stores) =>
      [stores.flat(), { ...localStorage }, { ...sessionStorage }, document.cookie])`);
    expect(kept).toEqual([[], {}, {}, '']);
  });

  test('with the keyboard alone: past the navigation, through a dialog, and back to its button', async () => {
    const { page } = await start({}, '/dashboard/keys');
    await signIn(page);
    await page.getByText('No keys yet').waitFor();
    await page.locator('body').press('Tab');
    expect(await focused(page)).toBe('Skip to the page');
    await page.keyboard.press('Enter');
    for (const name of ['API keys', 'Access tokens']) {
      await page.keyboard.press('Tab');
      expect(await focused(page)).toBe(name);
    }
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Create a key');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    for (let press = 0; press < 12; press += 1) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`)).toBe(true);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Create a key');
    await createKey(page, 'checkout');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Create a key');
  });

  test('on a narrow screen the menu opens, closes with Escape, and closes when a page is chosen', async () => {
    const { page } = await start({}, '/dashboard', { width: 375 });
    await signIn(page);
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    const menu = page.getByRole('button', { name: 'Menu' });
    const link = page.getByRole('link', { name: 'Keys and tokens' });
    expect(await link.isVisible()).toBe(false);
    await menu.click();
    await page.keyboard.press('Escape');
    await link.waitFor({ state: 'hidden' });
    expect(await focused(page)).toBe('Menu');
    await menu.click();
    await link.click();
    await page.getByRole('heading', { name: 'Keys and tokens' }).waitFor();
    await link.waitFor({ state: 'hidden' });
  });

  test('a theme that is chosen stays after a reload', async () => {
    const { page } = await start();
    await signIn(page);
    const paper = (): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
    await page.getByLabel('Theme').waitFor();
    const light = await paper();
    await page.getByLabel('Theme').selectOption('dark');
    const dark = await paper();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByLabel('Theme').waitFor();
    expect(await paper()).toBe(dark);
  });

  test.each(
    WIDTHS.flatMap((width) => (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme }))),
  )(
    'no barrier, nothing wider than the screen, nothing that moves: $width px, $colorScheme',
    async (view) => {
      const { page, complaints } = await start({}, '/dashboard/keys', view);
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await signIn(page);
      await page.getByText('No keys yet').waitFor();
      await createKey(page, 'checkout');
      await page.getByRole('row', { name: 'checkout' }).waitFor();
      expect(await findBarriers(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(view.width);
      await page.getByRole('link', { name: 'Access tokens' }).click();
      await page.getByRole('button', { name: 'Create a token' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await findBarriers(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'API keys' }).click();
      await page.reload();
      await page.evaluate(WATCH_SHIFTS);
      await page.getByRole('row', { name: 'checkout' }).waitFor();
      expect(await page.evaluate('window.shifted')).toBe(0);
      expect(complaints).toEqual([]);
    },
  );
}

/** The text of what has the focus, once it has settled: a dialog gives it back after it is gone. */
async function focused(page: Page): Promise<unknown> {
  return await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(document.activeElement.textContent))))',
  );
}
