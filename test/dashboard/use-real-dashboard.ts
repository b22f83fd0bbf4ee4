import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { PASSWORD } from '../account/api/live/provision-members.ts';
import { type MemberServer, startMemberServer } from '../account/api/sessions/member-server.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { findPostgres, POSTGRES_MISSING } from '../support/postgres.ts';
import { type DashboardView, openDashboard, type OpenedDashboard } from './open-dashboard.ts';

/** A server with members, and its dashboard. */
export type RealDashboard = {
  readonly world: () => MemberServer;
  /** Opens a path of the dashboard, or a whole address, in a browser context of its own. */
  readonly open: (path: string, view?: DashboardView) => Promise<OpenedDashboard>;
};

/** Tests in a browser against one server; skipped where there is no browser or no PostgreSQL. */
export async function describeWithServer(name: string, tests: (real: RealDashboard) => void): Promise<void> {
  const executable = findChromium();
  const postgres = await findPostgres();
  const missing = executable === undefined ? CHROMIUM_MISSING : POSTGRES_MISSING;
  if (executable === undefined || postgres === undefined) {
    test(name, (context) => context.skip(missing));
    return;
  }
  describe(name, { timeout: 90_000 }, () => {
    let browser: Browser;
    let world: MemberServer;
    beforeAll(async () => {
      [browser, world] = await Promise.all([startChromium(executable), startMemberServer(postgres)]);
    });
    afterAll(async () => {
      await browser?.close();
      await world?.[Symbol.asyncDispose]();
    });
    tests({
      world: () => world,
      open: (path, view) =>
        openDashboard(
          browser,
          path.startsWith('http') ? path : `${world.server.baseUrl}/dashboard${path}`,
          view,
        ),
    });
  });
}

/** Signs in on the page that is open, with a code where the login has a second factor. */
export async function enter(page: Page, email: string, code?: string): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.keyboard.press('Enter');
  if (code === undefined) return;
  await page.getByLabel('Code').fill(code);
  await page.keyboard.press('Enter');
}

/** Goes to a page by the navigation. */
export async function visit(page: Page, name: string): Promise<void> {
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Waits until no dialog is open: what is behind one is found by no role. */
export async function closed(page: Page): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'detached' });
}
