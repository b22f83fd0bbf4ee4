import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCommandLine } from '../../src/cli/run-command-line.ts';
import { renderPage } from '../../src/lab/report/page/render-page.ts';
import { reportKey, type SignedReport, signReport } from '../../src/lab/report/sign-report.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { newInstallationKey, sampleReport } from './sample-report.ts';

const directory = useNewDirectory();
const at = (name: string): string => join(directory(), name);

async function verify(signed: unknown, ...args: readonly string[]) {
  writeFileSync(at('report.json'), typeof signed === 'string' ? signed : JSON.stringify(signed, null, 2));
  const out: string[] = [];
  const write = (text: string): void => void out.push(text);
  const terminal = { env: {}, writeOut: write, writeError: write };
  const code = await runCommandLine(['lab', 'verify', at('report.json'), ...args], terminal);
  return { code, text: out.join('') };
}

test('a report is signed by the installation, whatever its white space', async () => {
  const key = await newInstallationKey(directory(), 'installation.key');
  const signed = signReport(sampleReport(), key);
  const good = { code: 0, text: expect.stringContaining(`Signed by ${reportKey(key)}`) };
  expect(await verify(signed)).toEqual(good);
  expect(await verify(signed, '--public-key', reportKey(key))).toEqual(good);
  writeFileSync(at('keyslot.json'), JSON.stringify({ installation_key_file: at('installation.key') }));
  expect(await verify(signed, '--config', at('keyslot.json'))).toEqual(good);
});

test('a report that was changed, or is of another installation, is refused', async () => {
  const [key, other] = [
    await newInstallationKey(directory(), 'installation.key'),
    await newInstallationKey(directory(), 'other.key'),
  ];
  const signed = signReport(sampleReport({ invariant: 'lost_wallet', what: 'w_1 is lost' }), key);
  const changed: SignedReport = { ...signed, report: { ...signed.report, is_sound: true } };
  expect(await verify(changed)).toMatchObject({ code: 1, text: expect.stringContaining('was changed') });
  const byOther = await verify(signed, '--public-key', reportKey(other));
  expect(byOther).toMatchObject({ code: 1, text: expect.stringContaining('by another key') });
});

test.each([
  ['', 'is not JSON'],
  ['{}', 'is no report of the lab'],
  ['{"report":{"form":"x"},"signature":{"public_key":"00"}}', 'is no report of the lab'],
])('what is no report is refused: %s', async (text, reason) => {
  expect(await verify(text)).toMatchObject({ code: 2, text: expect.stringContaining(reason) });
});

test('the page asks no host for anything, and shows what the report says as text', async () => {
  const key = await newInstallationKey(directory(), 'installation.key');
  const what = '<script>alert(1)</script>';
  const page = renderPage(signReport(sampleReport({ invariant: 'failed_read', what }), key));
  expect(page).toContain('&lt;script&gt;');
  expect(page).not.toContain('<script');
  expect(page).not.toMatch(/(src|href)=|url\(|@import|https?:/);
  expect(page).toContain(`default-src 'none'; style-src 'sha256-`);
  expect(page).toContain('An invariant was broken.');
  expect(page).toContain('events delivered, 3 at most in a span');
  expect(page).not.toContain('keys made, rotated and revoked');
  expect(page).toContain(reportKey(key));
});
