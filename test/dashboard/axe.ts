import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** Returns what axe finds on a page against WCAG 2.2 A and AA and its best practices: the rule, and where. Empty is right. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  // As the debugger of the browser, which the policy of the page does not bind.
  await page.evaluate(await readFile(AXE, 'utf8'));
  return await page.evaluate(`axe.run(document).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ' ' + target.join(' ') + ' ' + failureSummary)))`);
}
