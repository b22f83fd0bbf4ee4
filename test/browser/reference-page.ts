import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

/** The reference page in a browser, with everything that it asked for and complained about. */
export type ReferencePage = {
  readonly page: Page;
  /** Every address that was asked for, `data:` addresses aside. */
  readonly requests: readonly string[];
  /** Messages of the console, of uncaught errors and of the Content-Security-Policy. */
  readonly complaints: readonly string[];
};

/** A page that the tests of a file share: to load it takes longer than most of them. */
export type SharedReference = {
  /** The page without what the test before has typed into its fields and what it complained about; what was opened stays open. */
  readonly again: () => Promise<ReferencePage>;
};

export type PageOptions = {
  readonly width?: number;
};

const PATIENCE_MS = 60_000;

/** Opens the page, for one test, and waits until its methods are shown. */
export async function openReference(
  browser: Browser,
  address: string,
  options?: PageOptions,
): Promise<ReferencePage> {
  const opened = await loadReference(browser, address, options);
  onTestFinished(() => opened.page.context().close());
  return opened;
}

/** Opens the page for the tests of a file. */
export async function shareReference(browser: Browser, address: string): Promise<SharedReference> {
  const opened = await loadReference(browser, address);
  const { page, complaints } = opened;
  expect(complaints).toEqual([]);
  return {
    again: async () => {
      for (const field of await page.locator('#find, .credential:visible input').all()) await field.fill('');
      complaints.splice(0);
      return opened;
    },
  };
}

async function loadReference(browser: Browser, address: string, { width = 1280 }: PageOptions = {}) {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: 'light',
    ignoreHTTPSErrors: true,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const requests: string[] = [];
  const complaints: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) requests.push(request.url());
  });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  await page.goto(address);
  await page.locator('.opblock').first().waitFor();
  return { page, requests, complaints };
}

/** The part of a method on the page. */
export function operation(page: Page, method: string) {
  return page.locator(`[id^="operations-"][id$="-${method}"]`);
}

/** The parts of an answer that the page shows: its HTTP status and its body. */
export type ShownAnswer = { readonly status: number; readonly body: string };

/** Sends what an opened method shows, or `body` in its place, and reads the answer that appears. */
export async function send(page: Page, method: string, body?: string): Promise<ShownAnswer> {
  const part = operation(page, method);
  const clear = part.locator('button.btn-clear');
  if (await clear.isVisible()) await clear.click();
  if (body !== undefined) await part.locator('textarea').fill(body);
  const [answered] = await Promise.all([
    page.waitForResponse((response) => response.request().resourceType() === 'fetch'),
    part.locator('button.execute').click(),
  ]);
  const live = part.locator('.live-responses-table .response');
  await live.locator('.response-col_status', { hasText: String(answered.status()) }).waitFor();
  const shown = live.locator('pre code').first();
  return { status: answered.status(), body: (await shown.textContent()) ?? '' };
}
