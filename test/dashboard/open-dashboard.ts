import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

/** The dashboard in a browser, with everything that it asked for and complained about. */
export type OpenedDashboard = {
  readonly page: Page;
  /** Every address that was asked for, `data:` addresses aside. */
  readonly requests: readonly string[];
  /** Messages of the console, of uncaught errors and of the Content-Security-Policy, without refused requests. */
  readonly complaints: readonly string[];
};

export type DashboardView = {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly reducedMotion?: 'reduce' | 'no-preference';
};

const PATIENCE_MS = 15_000;

/** Opens an address of the dashboard, for one test. */
export async function openDashboard(
  browser: Browser,
  address: string,
  { width = 1440, colorScheme = 'light', reducedMotion = 'no-preference' }: DashboardView = {},
): Promise<OpenedDashboard> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    reducedMotion,
    // Proxies of tests have certificates of their own.
    ignoreHTTPSErrors: true,
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  page.on('console', (message) => {
    const text = message.text();
    if (['error', 'warning'].includes(message.type()) && !text.includes('responded with a status of'))
      complaints.push(text);
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  return { page, requests, complaints };
}
