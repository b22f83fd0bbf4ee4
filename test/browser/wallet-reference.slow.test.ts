import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { OPERATIONS as ACCOUNT_OPERATIONS } from '../../generated/account/operations.ts';
import { OPERATIONS } from '../../generated/wallets/operations.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { openReference, operation, send, type SharedReference, shareReference } from './reference-page.ts';
import { startTlsProxy, type TlsProxy } from './tls-proxy.ts';

const executable = findChromium();

if (executable === undefined) test('the wallet reference', (context) => context.skip(CHROMIUM_MISSING));
else describe('the wallet reference', () => inBrowser(executable));

function inBrowser(chromium: string): void {
  let browser: Browser;
  let server: RunningKeyslot;
  let token = '';
  let shared: SharedReference;
  let proxy: TlsProxy;

  beforeAll(async () => {
    [browser, server] = await Promise.all([startChromium(chromium), startKeyslot()]);
    const text = await readFile(join(server.dataDir, 'dev.json'), 'utf8');
    token = (JSON.parse(text) as { readonly access_token: string }).access_token;
    shared = await shareReference(browser, `${server.baseUrl}/docs?wallets`);
    proxy = await startTlsProxy(server.baseUrl, '/below');
  });

  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    await server?.stop();
  });

  test('lists every operation, below the service that is marked in the switch', async () => {
    const { page, complaints } = await shared.again();
    const shown = await page.locator('#methods a:visible').allTextContents();
    expect(shown.sort()).toEqual(Object.keys(OPERATIONS).sort());
    expect(await page.locator('#services [aria-current]').allTextContents()).toEqual(['Wallets']);
    expect(await page.locator('#api-key').isVisible()).toBe(false);
    await page.fill('#find', 'destroy');
    expect(await page.locator('#methods a:visible').allTextContents()).toEqual(['destroyWallet']);
    expect(complaints).toEqual([]);
  });

  test('an operation is sent with the token in its header and nowhere else, to this server and no other', async () => {
    const { page, requests, complaints } = await shared.again();
    await page.fill('#access-token', ` ${token} `);
    await page.click('#methods a:text-is("createWallet")');
    const [asked, { status, body }] = await Promise.all([
      page.waitForRequest(`${server.baseUrl}/v1/wallets`),
      send(page, 'createWallet'),
    ]);
    expect([status, JSON.parse(body)]).toMatchObject([201, { custody: 'client' }]);
    expect(asked.headers()).toMatchObject({ authorization: `Bearer ${token}` });
    expect(requests.filter((address) => new URL(address).origin !== server.baseUrl)).toEqual([]);
    expect(requests.filter((address) => address.includes('ks_tok'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('the account service is a third document, and its operations take the same token', async () => {
    const { page, complaints } = await openReference(browser, `${server.baseUrl}/docs?account`);
    const shown = await page.locator('#methods a:visible').allTextContents();
    expect(shown.sort()).toEqual(Object.keys(ACCOUNT_OPERATIONS).sort());
    expect(await page.locator('#services [aria-current]').allTextContents()).toEqual(['Account']);
    await page.fill('#access-token', token);
    await page.click('#methods a:text-is("listKeys")');
    const { status, body } = await send(page, 'listKeys');
    expect([status, Object.keys(JSON.parse(body) as object)]).toEqual([200, ['keys']]);
    expect(complaints).toEqual([]);
  });

  test('what the document shows of keys and codes is not sent unasked', async () => {
    const { page } = await shared.again();
    await page.fill('#access-token', token);
    await page.click('#methods a:text-is("createWallet")');
    const [asked] = await Promise.all([
      page.waitForRequest(`${server.baseUrl}/v1/wallets`),
      send(page, 'createWallet'),
    ]);
    expect(asked.headers()).not.toHaveProperty('idempotency-key');
    expect((await send(page, 'createWallet')).status).toBe(201);
    await page.click('#methods a:text-is("destroyWallet")');
    const code = operation(page, 'destroyWallet').locator('[data-param-name="X-Two-Factor-Code"] input');
    expect(await code.inputValue()).toBe('');
  });

  test('without a token the refusal is shown', async () => {
    const { page } = await shared.again();
    await page.click('#methods a:text-is("createWallet")');
    const { status, body } = await send(page, 'createWallet');
    expect([status, JSON.parse(body).code]).toEqual([401, 'token_missing']);
  });

  test('a stream is shown as the lines that came', async () => {
    const { page, complaints } = await shared.again();
    await page.fill('#access-token', token);
    await page.click('#methods a:text-is("createWalletBatch")');
    const part = operation(page, 'createWalletBatch');
    await part.locator('button.execute').click();
    const shown = part.locator('.live-responses-table pre code', { hasText: 'secret_key' });
    const lines = ((await shown.textContent()) ?? '').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { custody: 'client' },
      { custody: 'client' },
    ]);
    expect(complaints).toEqual([]);
  });

  test('a CSV is saved under its name, as it came', async () => {
    const { page } = await openReference(browser, `${server.baseUrl}/docs?wallets`);
    await page.fill('#access-token', token);
    await page.click('#methods a:text-is("createWalletBatch")');
    const part = operation(page, 'createWalletBatch');
    await part.locator('.responses-wrapper select.content-type').first().selectOption('text/csv');
    await part.locator('button.execute').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      part.locator('.live-responses-table a[download]').click(),
    ]);
    expect(download.suggestedFilename()).toBe('wallets.csv');
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toMatch(/^address,custody,wallet_id,[a-z_,]+\r\n/);
  });

  test('a token is kept by the page that is open and nowhere else, the other service included', async () => {
    const { page } = await shared.again();
    await page.fill('#access-token', token);
    await page.click('#methods a:text-is("createWallet")');
    await send(page, 'createWallet');
    const kept = (): Promise<unknown> =>
      page.evaluate(`Promise.all([indexedDB.databases(), caches.keys()]).then((stores) =>
        [stores.flat(), { ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`);
    const address = `${server.baseUrl}/docs?wallets#/Create%20wallets/createWallet`;
    expect(await kept()).toEqual([[], {}, {}, '', address]);
    await page.click('#services a:text-is("Ledger")');
    await page.waitForURL(`${server.baseUrl}/docs`);
    expect(await page.inputValue('#api-key')).toBe('');
    await page.goBack();
    await operation(page, 'createWallet').locator('button.execute').waitFor();
    expect(await page.inputValue('#access-token')).toBe('');
  });

  test('behind a TLS proxy, below a path, the address is the one of the proxy', async () => {
    const { page, requests } = await openReference(browser, `${proxy.url}/docs?wallets`);
    await page.fill('#access-token', token);
    expect(await page.locator('.servers select').textContent()).toContain(proxy.url);
    await page.click('#methods a:text-is("createWallet")');
    expect((await send(page, 'createWallet')).status).toBe(201);
    expect(requests).toContain(`${proxy.url}/v1/wallets`);
  });
}
