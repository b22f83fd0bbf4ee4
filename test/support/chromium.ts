import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CANDIDATES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Why the tests in a browser do not run, and what would make them run. */
export const CHROMIUM_MISSING =
  'no Chromium; provide one with `apt-get install chromium`, or name one by KEYSLOT_TEST_CHROMIUM';

/**
 * The Chromium that tests may start: KEYSLOT_TEST_CHROMIUM, or the one of this machine. Undefined when there is none.
 * @throws Error when there is none and CI=true, where a missing browser is a failure.
 */
export function findChromium(): string | undefined {
  const named = process.env.KEYSLOT_TEST_CHROMIUM;
  const found = (named === undefined ? CANDIDATES : [named]).find(existsSync);
  if (found !== undefined) return found;
  if (named !== undefined) throw new Error('there is no file at KEYSLOT_TEST_CHROMIUM');
  if (process.env.CI === 'true') throw new Error(CHROMIUM_MISSING);
  return undefined;
}

/** Starts a browser without a window and without requests of its own. */
export async function startChromium(executablePath: string): Promise<Browser> {
  return await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-background-networking'],
    timeout: 100_000,
  });
}
