import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sessionCookieName } from '../../src/server/rest/session-cookie.ts';
import {
  type MemberServer,
  type MemberServerOptions,
  startMemberServer,
} from '../account/api/sessions/member-server.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { addCredit } from '../support/wallet-account.ts';
import { findBarriers } from './axe.ts';
import { type DashboardView, openDashboard, type OpenedDashboard } from './open-dashboard.ts';
import { WATCH_SHIFTS } from './watch-shifts.ts';

/** A member with a session. */
export type SignedIn = {
  /** Name of the account. */
  readonly account: string;
  readonly token: string;
  readonly backupCodes: readonly string[];
};

/** A real server with its embedded ledger, and its pages in a browser. */
export type MemberPages = {
  readonly world: () => MemberServer;
  /** A new account with 1,000 USD, and its owner, with a second factor unless told otherwise. */
  readonly newMember: (options?: { readonly hasFactor: boolean }) => Promise<SignedIn>;
  /** Opens a page of a member. `before` is called with the browser's context before anything is loaded. */
  readonly open: (
    member: Pick<SignedIn, 'token'>,
    path: string,
    view?: DashboardView,
    before?: (context: BrowserContext) => Promise<unknown>,
  ) => Promise<OpenedDashboard>;
};

/** Tests against a real server in one browser; skipped where there is no browser or no PostgreSQL. */
export async function describeMemberPages(
  name: string,
  tests: (pages: MemberPages) => void,
  options: MemberServerOptions = {},
): Promise<void> {
  const executable = findChromium();
  const postgres = await findPostgres();
  if (executable === undefined || postgres === undefined) {
    const missing = executable === undefined ? CHROMIUM_MISSING : POSTGRES_MISSING;
    test(name, (context) => context.skip(missing));
    return;
  }
  describe(name, { timeout: 120_000 }, () => {
    let browser: Browser;
    let world: MemberServer;
    let accounts = 0;

    beforeAll(async () => {
      [browser, world] = await Promise.all([startChromium(executable), startMemberServer(postgres, options)]);
    });

    afterAll(async () => {
      await browser?.close();
      await world?.[Symbol.asyncDispose]();
    });

    tests({
      world: () => world,
      newMember: async ({ hasFactor } = { hasFactor: true }) => {
        accounts += 1;
        const account = `funded-${accounts}`;
        const login = await world.members.newOwner(await world.members.accountIdOf(account));
        await addCredit(world.server.dataDir, account, '1000');
        if (hasFactor) return { account, ...(await world.members.newFactorSession(login)) };
        return { account, token: await world.members.newSession(login), backupCodes: [] };
      },
      open: async ({ token }, path, view, before) => {
        const { baseUrl } = world.server;
        const opened = await openDashboard(browser, `${baseUrl}/dashboard`, view);
        const context = opened.page.context();
        await context.addCookies([{ name: sessionCookieName(baseUrl), value: token, url: baseUrl }]);
        await context.addInitScript(WATCH_SHIFTS);
        await before?.(context);
        await opened.page.goto(`${baseUrl}/dashboard${path}`);
        return opened;
      },
    });
  });
}

/** Expects a page that axe finds no fault with, that is not wider than its window, and whose content did not move. */
export async function expectSound(page: Page): Promise<void> {
  expect(await findBarriers(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(await page.evaluate('window.shifted')).toBe(0);
}

/** Creates a managed wallet on the page of the wallets, and waits for its page. @returns its address. */
export async function createWallet(page: Page, label: string): Promise<string> {
  await page.getByRole('button', { name: 'Create a wallet' }).click();
  await page.getByLabel('Label (optional)').fill(label);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: label }).waitFor();
  return String(await page.locator('.fact-wide code').first().textContent());
}

/** Asks for lamports on the page of a wallet without any, and waits until they are shown. */
export async function airdrop(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Airdrop/ }).click();
  await page.locator('.balance-amount').getByText('1 SOL', { exact: true }).waitFor();
}
