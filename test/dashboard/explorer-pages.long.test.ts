import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { airdrop, createWallet, describeMemberPages, expectSound } from './use-member-pages.ts';
import { VIEWS } from './views.ts';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const UNKNOWN = '3rXNqTkSnWj5gRHNsZYUujaMLK7cpQAtp9ah1qczEkFZHoeSNZUpqNrtF7QFckHt6abM2D4CsuiWA5KMTvqEdGYw';

await describeMemberPages('the pages of the explorer', ({ world, newMember, open }) => {
  const search = async (page: Page, text: string): Promise<void> => {
    await page.getByLabel('Address, signature or slot').fill(text);
    await page.keyboard.press('Enter');
  };

  test('from an address to its transaction, the slot, the leader and back', async () => {
    const { page, complaints, requests } = await open(await newMember(), '/wallets');
    const address = await createWallet(page, 'explored');
    await airdrop(page);
    await page.getByRole('link', { name: 'Explorer' }).click();
    await page.getByText('Current slot').waitFor();
    await search(page, 'what is this');
    await page.getByText('This is not an address, a signature or a slot.').waitFor();
    await search(page, ` ${address} `);
    await page.getByRole('heading', { name: 'Address' }).waitFor();
    expect(page.url()).toBe(`${world().server.baseUrl}/dashboard/explorer/solana-localnet/${address}`);
    await page.getByText('1 SOL', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'System program' }).waitFor();
    await page.getByRole('table').getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Transaction', exact: true }).waitFor();
    await page.getByText('system: transfer').waitFor();
    await page.getByText('1,000,000,000 (1 SOL)').waitFor();
    expect(await page.getByText('+1', { exact: true }).count()).toBe(1);
    await page.locator('dd a[href*="/explorer/"]').first().click();
    await page.getByRole('heading', { name: 'Block' }).waitFor();
    await page.getByRole('table').getByRole('link').first().waitFor();
    await page.locator('dd a[href*="/explorer/"]').first().click();
    await page.getByRole('heading', { name: 'Account' }).waitFor();
    expect(complaints).toEqual([]);
    // The key of the page is for the ledger alone: no address of a page has one.
    const { baseUrl } = world().server;
    const withKey = requests.filter((each) => each.includes('ks_key_'));
    expect(withKey.every((each) => each.startsWith(`${baseUrl}/solana-localnet?`))).toBe(true);
  });

  test('parsed data of an account is shown by its members', async () => {
    const { page } = await open(await newMember(), `/explorer/solana-localnet/${CLOCK}`);
    await page.getByText('Parsed as an account of').waitFor();
    await page.getByText('unixTimestamp').waitFor();
  });

  test('what is not there is said to be not there', async () => {
    const { page } = await open(await newMember(), '/explorer/solana-localnet/999999999999');
    await page.getByText('Slot 999999999999 has no block').waitFor();
    await search(page, UNKNOWN);
    await page.getByText('No confirmed transaction has this signature').waitFor();
    await page.goto(`${world().server.baseUrl}/dashboard/explorer/solana-localnet/nonsense`);
    await page.getByText('Nothing found').waitFor();
    await page.goto(`${world().server.baseUrl}/dashboard/explorer/solana-mainnet`);
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  });

  test('a call is tried in the reference, which opens at its method with its params and a key filled in, and no key in the address', async () => {
    const { page } = await open(await newMember(), `/explorer/solana-localnet/${CLOCK}`);
    const word = page.getByText('Try this call');
    await word.focus();
    await page.keyboard.press('Enter');
    const command = page.locator('.popover pre');
    await command.waitFor();
    expect(await command.textContent()).toContain(`"method":"getAccountInfo","params":["${CLOCK}"`);
    expect(await command.textContent()).toContain('x-api-key: $API_KEY');
    const link = page.getByRole('link', { name: 'Try getAccountInfo in the reference' });
    const [reference] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    await reference.getByRole('heading', { name: 'getAccountInfo', level: 1 }).waitFor();
    expect(await reference.locator('#request').inputValue()).toContain(`"${CLOCK}"`);
    await eventually('the key is filled in', async () =>
      (await reference.locator('#api-key').inputValue()).startsWith('ks_key_') ? true : undefined,
    );
    await reference.getByRole('button', { name: 'Run' }).click();
    await reference.locator('.answer-facts .badge', { hasText: '200' }).waitFor();
    expect(reference.url()).not.toContain('ks_key_');
    await page.keyboard.press('Escape');
    await command.waitFor({ state: 'hidden' });
  });

  test.each(VIEWS)(
    'no barrier, nothing too wide, nothing that moves: $width px, $colorScheme',
    async (view) => {
      const { page, complaints } = await open(await newMember(), '/wallets', view);
      const address = await createWallet(page, 'seen');
      await airdrop(page);
      const visit = async (what: string, seen: string): Promise<void> => {
        await page.goto(`${world().server.baseUrl}/dashboard/explorer/solana-localnet${what}`);
        await page.getByText(seen).first().waitFor();
        await expectSound(page);
      };
      await visit('', 'Current slot');
      await visit(`/${address}`, 'succeeded');
      const row = page.getByRole('table').getByRole('link');
      const [signature, slot] = await Promise.all([
        row.first().getAttribute('href'),
        row.nth(1).getAttribute('href'),
      ]);
      await visit(`/${signature?.split('/').at(-1)}`, 'system: transfer');
      await page.getByText('Try this call').click();
      await expectSound(page);
      await visit(`/${slot?.split('/').at(-1)}`, 'Place');
      await visit(`/${CLOCK}`, 'unixTimestamp');
      expect(complaints).toEqual([]);
    },
  );
});
