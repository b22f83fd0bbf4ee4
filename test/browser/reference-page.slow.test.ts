import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Browser } from 'playwright-core';
import { eventually } from '../../src/core/eventually.ts';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { METHODS } from '../../generated/ledger/methods.ts';
import { parseJson } from '../../src/core/rpc/json.ts';
import { startScriptedNode } from '../server/scripted-node.ts';
import { KEY, startGateway } from '../server/start-gateway.ts';
import { CHROMIUM_MISSING, findChromium, startChromium } from '../support/chromium.ts';
import { type RunningKeyslot, startKeyslot } from '../support/keyslot.ts';
import { openReference, operation, send, type SharedReference, shareReference } from './reference-page.ts';
import { startTlsProxy, type TlsProxy } from './tls-proxy.ts';

const executable = findChromium();

if (executable === undefined) test('the reference page', (context) => context.skip(CHROMIUM_MISSING));
else describe('the reference page', () => inBrowser(executable));

function inBrowser(chromium: string): void {
  let browser: Browser;
  let keyslot: RunningKeyslot;
  let shared: SharedReference;
  let proxy: TlsProxy;

  beforeAll(async () => {
    [browser, keyslot] = await Promise.all([startChromium(chromium), startKeyslot()]);
    shared = await shareReference(browser, `${keyslot.baseUrl}/docs`);
    proxy = await startTlsProxy(keyslot.baseUrl, '/below');
  });

  afterAll(async () => {
    await browser?.close();
    await proxy?.close();
    await keyslot?.stop();
  });

  test('lists every method; one is found by its name and by words about it', async () => {
    const { page, complaints } = await shared.again();
    const shown = page.locator('#methods a:visible');
    expect((await shown.allTextContents()).sort()).toEqual(Object.keys(METHODS).sort());
    await page.fill('#find', 'lamport balance');
    expect(await shown.allTextContents()).toEqual(['getLargestAccounts', 'getBalance']);
    await page.fill('#find', 'GETBALANCE');
    expect(await shown.allTextContents()).toEqual(['getBalance']);
    await page.fill('#find', 'no such method');
    expect(await page.locator('#nothing-found').textContent()).toBe('No method has these words.');
    expect(complaints).toEqual([]);
  });

  test('a method is opened, sent with the key, and answered by this server; nothing is asked of another, and no key comes with the page', async () => {
    const { page, requests, complaints } = await shared.again();
    await page.fill('#api-key', ` ${keyslot.apiKey} `);
    await page.fill('#find', 'getBalance');
    await page.click('#methods a:visible');
    const part = operation(page, 'getBalance');
    expect(await part.locator('.opblock-description').textContent()).toContain('config.minContextSlot');
    const { status, body } = await send(page, 'getBalance');
    expect([status, JSON.parse(body)]).toMatchObject([200, { jsonrpc: '2.0', result: { value: 0 }, id: 1 }]);
    expect(requests.filter((address) => new URL(address).origin !== keyslot.baseUrl)).toEqual([]);
    expect(requests).toContain(keyslot.rpcUrl);
    expect(complaints).toEqual([]);
    const texts = requests
      .filter((address) => address !== keyslot.rpcUrl)
      .map((address) => page.request.get(address));
    for (const answer of await Promise.all(texts))
      expect((await answer.text()).includes(keyslot.apiKey)).toBe(false);
  });

  test('an answer and an example keep every digit', async () => {
    const { page } = await shared.again();
    await page.fill('#api-key', keyslot.apiKey);
    await page.click('#methods a:text-is("getAccountInfo")');
    const examples = operation(page, 'getAccountInfo').locator('.examples-select-element').first();
    await examples.selectOption({ label: 'a slot the ledger has not reached' });
    const text = operation(page, 'getAccountInfo').locator('textarea');
    expect(parseJson(await text.inputValue())).toMatchObject({
      params: [expect.any(String), { minContextSlot: 2n ** 63n - 1n }],
    });
    const params = ['11111111111111111111111111111111', { encoding: 'base64' }];
    const call = JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'getAccountInfo', params });
    const { body } = await send(page, 'getAccountInfo', call.replace('"id":0', `"id":${2n ** 64n - 1n}`));
    expect(parseJson(body)).toMatchObject({
      result: { value: { rentEpoch: 2n ** 64n - 1n } },
      id: 2n ** 64n - 1n,
    });
  });

  test('the curl that is shown works as it is pasted', async () => {
    const { page } = await shared.again();
    await page.fill('#api-key', keyslot.apiKey);
    await page.click('#methods a:text-is("getGenesisHash")');
    const { body } = await send(page, 'getGenesisHash');
    const command = await operation(page, 'getGenesisHash').locator('.curl-command pre').textContent();
    const { stdout } = await promisify(execFile)('sh', ['-c', String(command).replace('curl', 'curl -s')], {
      timeout: 10_000,
    });
    expect(JSON.parse(stdout)).toEqual(JSON.parse(body));
  });

  test('without a key, and with a wrong one, the refusal is shown', async () => {
    const { page, complaints } = await shared.again();
    await page.click('#methods a:text-is("getSlot")');
    const none = await send(page, 'getSlot');
    await page.fill('#api-key', 'ks_key_wrong');
    const wrong = await send(page, 'getSlot');
    await page.fill('#api-key', '');
    const again = await send(page, 'getSlot');
    expect([none, wrong, again].map(({ status, body }) => [status, JSON.parse(body).error.code])).toEqual([
      [401, -32040],
      [401, -32041],
      [401, -32040],
    ]);
    expect(complaints.filter((text) => !text.includes('status of 401'))).toEqual([]);
  });

  test('a key is kept by the page that is open and nowhere else', async () => {
    const { page } = await shared.again();
    await page.fill('#api-key', keyslot.apiKey);
    await page.click('#methods a:text-is("getBalance")');
    await send(page, 'getBalance');
    const kept = (): Promise<unknown> =>
      page.evaluate(`Promise.all([indexedDB.databases(), caches.keys()]).then((stores) =>
        [stores.flat(), { ...localStorage }, { ...sessionStorage }, document.cookie, location.href])`);
    expect(await kept()).toEqual([[], {}, {}, '', `${keyslot.baseUrl}/docs#/Accounts/getBalance`]);
    await page.reload();
    await operation(page, 'getBalance').locator('button.execute').waitFor();
    expect(await page.inputValue('#api-key')).toBe('');
    expect((await send(page, 'getBalance')).status).toBe(401);
    expect(keyslot.stderr()).not.toContain(keyslot.apiKey);
  });

  test('behind a TLS proxy, below a path, the address is the one of the proxy', async () => {
    const { page, requests, complaints } = await openReference(browser, `${proxy.url}/docs/`);
    await page.fill('#api-key', keyslot.apiKey);
    expect(await page.locator('.servers select').textContent()).toContain(`${proxy.url}/solana-localnet`);
    await page.click('#methods a:text-is("getBalance")');
    expect((await send(page, 'getBalance')).status).toBe(200);
    expect(requests.filter((address) => !address.startsWith(`${proxy.url}/`))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('every network is named by its address', async () => {
    const node = await startScriptedNode();
    const gateway = await startGateway({
      nodeUrls: [node.url],
      documented: [
        { rpcPath: '/solana-localnet', label: 'solana, localnet' },
        { rpcPath: '/solana-mainnet', label: 'solana, mainnet' },
      ],
    });
    onTestFinished(async () => {
      await gateway.close();
      await node.close();
    });
    const { page } = await openReference(browser, `${gateway.baseUrl}/docs`);
    expect(await page.locator('.servers option').allTextContents()).toEqual([
      `${gateway.baseUrl}/solana-localnet - solana, localnet`,
      `${gateway.baseUrl}/solana-mainnet - solana, mainnet`,
    ]);
    await page.fill('#api-key', KEY);
    await page.click('#methods a:text-is("getSlot")');
    await page.locator('.servers select').selectOption({ index: 1 });
    expect((await send(page, 'getSlot')).status).toBe(404);
    await page.locator('.servers select').selectOption({ index: 0 });
    expect((await send(page, 'getSlot')).status).toBe(200);
  });

  test('fits a narrow screen, in light and in dark colours', async () => {
    const { page, complaints } = await openReference(browser, `${keyslot.baseUrl}/docs`, { width: 390 });
    await page.click('#contents summary');
    await page.click('#methods a:text-is("getBalance")');
    await operation(page, 'getBalance').locator('button.execute').waitFor();
    for (const [colorScheme, expected] of [
      ['light', 'rgb(255, 255, 255)'],
      ['dark', 'rgb(28, 32, 34)'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await eventually(`the page is ${colorScheme}`, async () => {
        const paper = await page.evaluate('getComputedStyle(document.body).backgroundColor');
        return paper === expected ? true : undefined;
      });
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    }
    expect(complaints).toEqual([]);
  });
}
