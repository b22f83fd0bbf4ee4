import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';

/** A file that a page has saved. */
export type Downloaded = { readonly name: string; readonly path: string; readonly text: string };

/** Presses a button that saves a file. */
export async function download(page: Page, name: string): Promise<Downloaded> {
  // The picker is a window of the browser, which no test can answer.
  await page.evaluate('delete window.showSaveFilePicker; delete Window.prototype.showSaveFilePicker');
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name, exact: true }).click(),
  ]);
  const path = await saved.path();
  return { name: saved.suggestedFilename(), path, text: await readFile(path, 'utf8') };
}
