import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, onTestFinished, test } from 'vitest';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { type DashboardView, openDashboard, type OpenedDashboard } from './open-dashboard.ts';
import { type ScriptedAccount, type ScriptedLogin, startScriptedAccount } from './scripted-account.ts';

export const LOGIN: ScriptedLogin = {
  email: 'ann@example.com',
  password: 'correct horse battery',
  scopes: ['account:read', 'keys:manage', 'tokens:manage', 'wallets:read', 'audit:read'],
};

/** Opens a path of the dashboard for one test, before a server of its own. */
export type StartDashboard = (
  login?: Partial<ScriptedLogin>,
  path?: string,
  view?: DashboardView,
) => Promise<OpenedDashboard & { readonly scripted: ScriptedAccount }>;

/** Tests in one browser; skipped where there is none. */
export function describeInBrowser(name: string, tests: (start: StartDashboard) => void): void {
  const executable = findChromium();
  if (executable === undefined) {
    test(name, (context) => context.skip(CHROMIUM_MISSING));
    return;
  }
  describe(name, { timeout: 60_000 }, () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startChromium(executable);
    });
    afterAll(async () => {
      await browser.close();
    });
    tests(async (login = {}, path = '/dashboard', view = {}) => {
      const scripted = await startScriptedAccount({ ...LOGIN, ...login });
      onTestFinished(() => scripted.close());
      return { scripted, ...(await openDashboard(browser, `${scripted.url}${path}`, view)) };
    });
  });
}

/** Sends the form of the sign-in. */
export async function signIn(page: Page, password = LOGIN.password): Promise<void> {
  await page.getByLabel('Email').fill(LOGIN.email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

/** Creates a key on the page of the keys. */
export async function createKey(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Create a key' }).click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I have copied it' }).click();
}
