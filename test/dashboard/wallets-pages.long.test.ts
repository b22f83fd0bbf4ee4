import { readFile } from 'node:fs/promises';
import { verifyAsync } from '@noble/ed25519';
import { base58 } from '@scure/base';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { command } from '../support/wallet-account.ts';
import { airdrop, createWallet, describeMemberPages, expectSound } from './use-member-pages.ts';
import { VIEWS } from './views.ts';

const PAYEE = 'CrLun5xkJQhhJmvz3fLDByLWBVFFMNjvoDmaMTnwrWgQ';
/** Price of a wallet (spec/plans.yaml). */
const MICRO_USD_PER_WALLET = 1_000;

/** A browser without the choice of a file to write to. */
const WITHOUT_PICKER = 'delete window.showSaveFilePicker';

/** A browser whose chosen file is an array of the texts that were written. */
const WITH_PICKER = `window.written = [];
  window.showSaveFilePicker = async ({ suggestedName }) => ({
    createWritable: async () => ({
      write: async (text) => void window.written.push(text),
      close: async () => { window.closedFile = suggestedName; },
      abort: async () => { window.closedFile = 'left as it was'; },
    }),
  })`;

await describeMemberPages('the pages of wallets', ({ world, newMember, open }) => {
  test('a wallet is created, gets lamports, signs and sends; its transaction is in the explorer', async () => {
    const { page, complaints } = await open(await newMember(), '/wallets');
    await page.getByText('No wallets yet').waitFor();
    const address = await createWallet(page, 'deposit 4711');
    await airdrop(page);

    await page.getByRole('button', { name: 'Sign a message' }).click();
    await page.getByRole('textbox', { name: 'Message' }).fill('hello');
    await page.getByRole('button', { name: 'Sign', exact: true }).click();
    const signature = page.getByRole('status').locator('code');
    await signature.waitFor();
    expect(await isSignatureOf(address, 'hello', String(await signature.textContent()))).toBe(true);
    await page.keyboard.press('Escape');

    await page.getByRole('button', { name: /^Send on/ }).click();
    await page.getByLabel('To', { exact: true }).fill(address);
    await page.getByLabel('Amount in SOL').fill('0.25');
    await page.keyboard.press('Enter');
    await page.getByText('This is the address of the wallet itself.').waitFor();
    await page.getByLabel('To', { exact: true }).fill(PAYEE);
    await page.keyboard.press('Enter');
    await page.getByText('Confirmed.').waitFor();
    await page.locator('.balance-amount').getByText('0.749995 SOL').waitFor();
    await page.getByRole('status').getByRole('link').click();
    await page.getByText('250,000,000 (0.25 SOL)').waitFor();
    expect(await page.getByText('-0.250005').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  test('more than a wallet has is not sent, and the network says why', async () => {
    const { page } = await open(await newMember(), '/wallets');
    await createWallet(page, 'poor');
    await airdrop(page);
    await page.getByRole('button', { name: /^Send on/ }).click();
    await page.getByLabel('To', { exact: true }).fill(PAYEE);
    await page.getByLabel('Amount in SOL').fill('2');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Transaction simulation failed').waitFor();
    await page.getByText('Not sent.').waitFor();
  });

  test('a wallet is destroyed with a code alone', async () => {
    const { token, backupCodes } = await newMember();
    const { page } = await open({ token }, '/wallets');
    const address = await createWallet(page, 'old');
    await page.getByRole('button', { name: 'Destroy' }).click();
    const dialog = page.getByRole('dialog', { name: 'Destroy old?' });
    expect(await dialog.textContent()).toContain(address);
    await dialog.getByRole('button', { name: 'Destroy permanently' }).click();
    expect(await dialog.locator('input[name=code]:invalid').count()).toBe(1);
    await dialog.getByLabel('Code').fill('000000');
    await page.keyboard.press('Enter');
    await dialog.getByText('The second-factor code is wrong').waitFor();
    await dialog.getByLabel('Code').fill(backupCodes[0] ?? '');
    await page.keyboard.press('Enter');
    await page.getByText('No wallets yet').waitFor();
    await page.goBack();
    await page.getByText('This account does not have that wallet').waitFor();
  });

  test('without a second factor the way to one is shown', async () => {
    const { page } = await open(await newMember({ hasFactor: false }), '/wallets');
    await createWallet(page, 'kept');
    await page.getByRole('button', { name: 'Destroy' }).click();
    await page.getByText('You have no second factor.').waitFor();
    expect(await page.getByRole('button', { name: 'Destroy permanently' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Set one up' }).click();
    await page.getByRole('heading', { name: 'Security' }).waitFor();
  });

  test('a batch of 10,000 is saved as a download, each wallet once', async () => {
    const { page, complaints } = await open(await newMember(), '/wallets', {}, (context) =>
      context.addInitScript(WITHOUT_PICKER),
    );
    await beginBatch(page, { count: 10_000, format: 'csv' });
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Create', exact: true }).click(),
    ]);
    await page.getByText('10,000 of 10,000 wallets are in the file; 10,000 were charged.').waitFor();
    expect(download.suggestedFilename()).toBe('wallets-10000.csv');
    const [head, ...lines] = (await readFile(await download.path(), 'utf8')).trimEnd().split('\r\n');
    expect(head).toBe('address,custody,wallet_id,secret_key,mnemonic,derivation_path,created_at');
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(10_000);
    expect(await page.content()).not.toContain(lines[0]?.split(',')[3]);
    expect(complaints).toEqual([]);
  });

  test('a batch is written to the chosen file as it comes, stops when it is told to, and the rest that was charged can be had', async () => {
    const member = await newMember();
    const { page } = await open(member, '/wallets', {}, (context) => context.addInitScript(WITH_PICKER));
    await beginBatch(page, { count: 10_000, words: '24' });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText(/^[1-9][\d,]* of 10,000$/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    const end = page.getByRole('status');
    await end.waitFor();
    const written = Number((await end.textContent())?.split(' of ')[0]?.replace(',', ''));
    expect(written).toBeLessThan(10_000);
    expect(await end.textContent()).toContain('Those sent before the end were charged');
    const text = String(await page.evaluate('window.written.join("")'));
    const wallets = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(wallets.length).toBe(written);
    expect(wallets[0].mnemonic.split(' ')).toHaveLength(24);
    expect(await page.evaluate('window.closedFile')).toBe('wallets-10000.jsonl');
    await page.evaluate('window.written = []');
    await page.getByRole('button', { name: 'Get missing wallets' }).click();
    // Either the server had sent no more than arrived, or it makes the others again for nothing.
    await end.getByText(/Nothing is missing|these were not charged again/).waitFor();
    const rest = String(await page.evaluate('window.written.join("")')).match(/\n/g)?.length ?? 0;
    const { charged_usd } = await command(world().server.dataDir, {
      kind: 'money.balance',
      account: member.account,
    });
    expect(Math.round(Number(charged_usd) * 1_000_000)).toBe((written + rest) * MICRO_USD_PER_WALLET);
  });

  test('an account without money is told what it costs', async () => {
    const { members } = world();
    const login = await members.newOwner(await members.accountIdOf('without money'));
    const { page } = await open({ token: await members.newSession(login) }, '/wallets');
    await page.getByRole('button', { name: 'Create a wallet' }).click();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('This costs $0.001, and $0.00 is available. Nothing was done.').waitFor();
  });

  test('children are derived from a master and lead back to it', async () => {
    const { page } = await open(await newMember(), '/wallets');
    await page.getByRole('button', { name: 'Create a wallet' }).click();
    await page.getByLabel('Kind').selectOption('An HD master, to derive wallets from');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('heading', { name: 'HD master' }).waitFor();
    await page.getByRole('link', { name: 'Children' }).click();
    await page.getByRole('button', { name: 'Derive wallets' }).click();
    await page.getByLabel('Number of x').fill('30');
    await page.getByRole('button', { name: 'Derive', exact: true }).click();
    await page.getByText('30 wallets are ready.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Older' }).click();
    await page.getByText('Page 2').waitFor();
    await page.getByRole('table').getByRole('link').nth(4).click();
    await page.getByText('Master', { exact: true }).waitFor();
  });

  test('wallets are found by a part of the label and by the address', async () => {
    const { page } = await open(await newMember(), '/wallets');
    const first = await createWallet(page, 'deposit 1');
    await page.getByRole('link', { name: 'Wallets' }).click();
    await createWallet(page, 'payout');
    await page.getByRole('link', { name: 'Wallets' }).click();
    for (const text of ['DEPOSIT', first]) {
      await page.getByLabel('Search by label or address').fill(text);
      await page.keyboard.press('Enter');
      await page.getByRole('row', { name: 'payout' }).waitFor({ state: 'detached' });
      expect(await page.getByRole('row', { name: 'deposit 1' }).count()).toBe(1);
      await page.getByRole('button', { name: 'Show all' }).click();
      await page.getByRole('row', { name: 'payout' }).waitFor();
    }
    await page.getByLabel('Search by label or address').fill('nothing');
    await page.keyboard.press('Enter');
    await page.getByText('No wallet matches').waitFor();
  });

  test('a viewer sees wallets and nothing to do with them', async () => {
    const { members } = world();
    const owner = await members.newOwner(await members.accountIdOf('viewed'));
    const viewer = await members.newMember(owner, 'viewer');
    const { page } = await open({ token: await members.newSession(viewer) }, '/wallets');
    await page.getByText('No wallets yet').waitFor();
    expect(await page.getByRole('button', { name: /^Create/ }).count()).toBe(0);
  });

  test('with the keyboard alone: a wallet is created, and a dialog gives the focus back', async () => {
    const { page } = await open(await newMember(), '/wallets');
    await page.getByText('No wallets yet').waitFor();
    const create = page.getByRole('button', { name: 'Create a wallet' });
    await create.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Create a wallet');
    await page.keyboard.press('Enter');
    await page.getByLabel('Kind').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('by keyboard');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'by keyboard' }).waitFor();
  });

  test.each(VIEWS)(
    'no barrier, nothing too wide, nothing that moves: $width px, $colorScheme',
    async (view) => {
      const member = await newMember();
      const { page, complaints } = await open(member, '/wallets', view);
      await page.getByText('No wallets yet').waitFor();
      await expectSound(page);
      await createWallet(page, 'deposit');
      await airdrop(page);
      await page.reload();
      await page.locator('.balance-amount').getByText('1 SOL', { exact: true }).waitFor();
      await expectSound(page);
      for (const name of ['Sign a message', 'Send on solana, localnet', 'Destroy']) {
        await page.getByRole('button', { name }).click();
        await page.getByRole('dialog').waitFor();
        await expectSound(page);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await page.getByRole('link', { name: 'Transactions' }).click();
      await page.getByText('succeeded').waitFor();
      await expectSound(page);
      await page.goto(`${world().server.baseUrl}/dashboard/wallets`);
      await page.getByRole('row', { name: 'deposit' }).waitFor();
      await expectSound(page);
      await page.getByRole('button', { name: 'Create a batch' }).click();
      await expectSound(page);
      expect(complaints).toEqual([]);
    },
  );
});

async function beginBatch(
  page: Page,
  {
    count,
    format = 'jsonl',
    words = '',
  }: { readonly count: number; readonly format?: string; readonly words?: string },
): Promise<void> {
  await page.getByRole('button', { name: 'Create a batch' }).click();
  await page.getByLabel('Number of wallets').fill(String(count));
  await page.getByLabel('Format').selectOption(format);
  await page.getByLabel('Mnemonic').selectOption(words);
}

function isSignatureOf(address: string, text: string, signature: string): Promise<boolean> {
  return verifyAsync(base58.decode(signature), Buffer.from(text), base58.decode(address));
}
