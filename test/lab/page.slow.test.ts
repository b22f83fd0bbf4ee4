import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { renderPage } from '../../src/lab/report/page/render-page.ts';
import { signReport } from '../../src/lab/report/sign-report.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { newInstallationKey, sampleReport } from './sample-report.ts';

const directory = useNewDirectory();
const chromium = findChromium();

if (chromium === undefined)
  test('the page of a report in a browser', (context) => context.skip(CHROMIUM_MISSING));
else describe('the page of a report in a browser', () => open(chromium));

function open(executablePath: string): void {
  test.each([
    { width: 375, colorScheme: 'light' as const },
    { width: 1440, colorScheme: 'dark' as const },
  ])(
    'fits into $width px ($colorScheme), with its style, and asks for nothing',
    async ({ width, colorScheme }) => {
      const key = await newInstallationKey(directory(), 'installation.key');
      const path = join(directory(), 'lab-report.html');
      const what = `${'a-long-word'.repeat(30)} was lost`;
      writeFileSync(path, renderPage(signReport(sampleReport({ invariant: 'lost_event', what }), key)));
      await using browser = await startChromium(executablePath);
      const page = await browser.newPage({ viewport: { width, height: 800 }, colorScheme });
      const asked: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      page.on('console', (message) => complaints.push(message.text()));
      await page.goto(pathToFileURL(path).href);
      const seen = await page.evaluate(`({
      overflow: document.documentElement.scrollWidth - window.innerWidth,
      paper: getComputedStyle(document.body).backgroundColor,
      bars: document.querySelectorAll('rect.part-node').length,
    })`);
      expect(seen).toEqual({
        overflow: 0,
        paper: colorScheme === 'dark' ? 'rgb(13, 17, 23)' : 'rgb(255, 255, 255)',
        bars: 40,
      });
      expect([asked, complaints]).toEqual([[pathToFileURL(path).href], []]);
    },
  );
}
