import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findBarriers } from './axe.ts';
import { createKey, describeInBrowser, signIn } from './use-dashboard.ts';
import { WATCH_SHIFTS } from './watch-shifts.ts';
import { VIEWS } from './views.ts';

describeInBrowser('the dashboard for everyone', (start) => {
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

  test.each(VIEWS)(
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
});

/** The text of what has the focus, once it has settled: a dialog gives it back after it is gone. */
async function focused(page: Page): Promise<unknown> {
  return await page.evaluate(
    'new Promise((resolve) => requestAnimationFrame(() => setTimeout(() => resolve(document.activeElement.textContent))))',
  );
}
