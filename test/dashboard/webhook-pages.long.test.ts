import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startReceiver, verified } from '../account/webhooks/receiver.ts';
import { airdrop, createWallet, describeMemberPages, expectSound } from './use-member-pages.ts';
import { VIEWS } from './views.ts';

await describeMemberPages('the pages of webhooks', ({ newMember, open }) => {
  /** Creates a webhook on the page; the session is fresh. @returns its secret. */
  async function createWebhook(page: Page, url: string): Promise<string> {
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('Name').fill('billing');
    await page.getByLabel('URL', { exact: true }).fill(url);
    await page.getByLabel('wallet.*').check();
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = String(await page.locator('.secret code').textContent());
    await page.getByRole('button', { name: 'I have copied it' }).click();
    return secret;
  }

  test('one is created, gets a test event and events of wallets, and its secret is replaced', async () => {
    const receiver = await startReceiver();
    const { page, complaints } = await open(await newMember(), '/webhooks');
    await page.getByText('No webhooks yet').waitFor();
    await page.getByText('keyslot listen').waitFor();
    const secret = await createWebhook(page, receiver.url);
    expect(secret).toMatch(/^whsec_/);
    await page.getByRole('link', { name: 'billing', exact: true }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    const test = await eventually('the test event', () => receiver.received[0]);
    expect(verified(test, secret).type).toBe('webhook.test');
    await page.getByRole('row', { name: /webhook\.test/ }).waitFor();

    await page.getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByRole('button', { name: 'Replace', exact: true }).click();
    const next = String(await page.locator('.secret code').textContent());
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByText('The old secret signs until').waitFor();
    await page.getByRole('link', { name: 'Wallets', exact: true }).click();
    await createWallet(page, 'paid');
    const created = await eventually('the event of the wallet', () =>
      receiver.received.find(({ body }) => body.includes('wallet.create')),
    );
    for (const known of [secret, next]) expect(verified(created, known).data.action).toBe('create');
    expect(complaints).toEqual([]);
  });

  test('a delivery that failed shows what was answered, and is sent again; all is sent again from a record on', async () => {
    const receiver = await startReceiver();
    receiver.answerWith((_received, response) => void response.writeHead(503).end('closed for lunch'));
    const { page } = await open(await newMember(), '/webhooks');
    const secret = await createWebhook(page, receiver.url);
    await page.getByRole('link', { name: 'billing', exact: true }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await page.getByText('failing', { exact: true }).waitFor();
    await page.getByText('Events are waiting and are sent again').waitFor();
    await page.getByRole('button', { name: 'Attempts of webhook.test' }).click();
    const dialog = page.getByRole('dialog', { name: 'webhook.test' });
    await dialog.getByText('HTTP 503').first().waitFor();
    await dialog.getByText('closed for lunch').first().waitFor();
    await expectSound(page);
    receiver.answerWith(undefined);
    await dialog.getByRole('button', { name: 'Send it again' }).click();
    await eventually('the delivery', async () => {
      await dialog.getByRole('button', { name: 'Read again' }).click();
      return (await dialog.getByText('HTTP 204').count()) > 0 ? true : undefined;
    });
    await page.keyboard.press('Escape');
    await page.getByText('active', { exact: true }).waitFor();
    await page.getByLabel('State').selectOption('Failed');
    await page.getByText('No failed deliveries').waitFor();

    const created = () => receiver.received.filter(({ body }) => body.includes('wallet.create'));
    await page.getByRole('link', { name: 'Wallets', exact: true }).click();
    await createWallet(page, 'paid');
    // Opening the page is an event too: only this one can be sent again.
    await eventually('the event', () => (created().length > 0 ? true : undefined));
    await page.goBack();
    await page.goBack();
    await page.getByRole('button', { name: 'Send again' }).click();
    await page.getByLabel('Start at this record of the audit log').fill('1');
    await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
    const twice = await eventually('the same event', () => (created().length >= 2 ? created() : undefined));
    expect(new Set(twice.map(({ id }) => id)).size).toBe(1);
    for (const each of twice) expect(verified(each, secret).data.action).toBe('create');
  });

  test('one for an address of the ledger gets what happens to it', async () => {
    const receiver = await startReceiver();
    const { page, complaints } = await open(await newMember(), '/wallets');
    const address = await createWallet(page, 'watched');
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('button', { name: 'Create a webhook' }).click();
    await page.getByLabel('Name').fill('ledger');
    await page.getByLabel('URL', { exact: true }).fill(receiver.url);
    await page.getByLabel('ledger.*').check();
    await page.getByLabel('Addresses and signatures').fill(`${address}\nprogram ${'1'.repeat(33)}`);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('must be base-58 of 32 bytes').waitFor();
    await page.getByLabel('Addresses and signatures').fill(address);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const secret = String(await page.locator('.secret code').textContent());
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('link', { name: 'Wallets', exact: true }).click();
    await page.getByRole('link', { name: 'watched' }).click();
    await airdrop(page);
    const event = await eventually('the change of the balance', () =>
      receiver.received.find(({ body }) => body.includes('ledger.balance')),
    );
    expect(verified(event, secret).data).toMatchObject({ address, lamports_after: '1000000000' });
    await page.getByRole('link', { name: 'Webhooks', exact: true }).click();
    await page.getByRole('link', { name: 'ledger', exact: true }).click();
    await page.getByText('solana-localnet, 1 filter').waitFor();
    await page.getByRole('row', { name: /ledger\.balance slot \d+/ }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('one is changed, turned off and on, and deleted; a type that no event has is named', async () => {
    const receiver = await startReceiver();
    const { page } = await open(await newMember(), '/webhooks');
    await createWebhook(page, receiver.url);
    await page.getByRole('link', { name: 'billing', exact: true }).click();
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Single types (optional)').fill('wallet.sing');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('No event is called wallet.sing.').waitFor();
    await page.getByLabel('Single types (optional)').fill('account.createkey');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('wallet.*, account.createkey').waitFor();
    await page.getByRole('button', { name: 'Turn off' }).click();
    await page.getByText('off', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Send a test event' }).isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Turn on' }).click();
    await page.getByText('active', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete the webhook' }).click();
    await page.getByText('No webhooks yet').waitFor();
  });

  test.each(VIEWS)(
    'no barrier, nothing too wide, nothing that moves: $width px, $colorScheme',
    async (view) => {
      const receiver = await startReceiver();
      const { page, complaints } = await open(await newMember(), '/webhooks', view);
      await page.getByText('No webhooks yet').waitFor();
      await expectSound(page);
      await page.getByRole('button', { name: 'Create a webhook' }).click();
      await expectSound(page);
      await page.keyboard.press('Escape');
      await createWebhook(page, receiver.url);
      await expectSound(page);
      await page.getByRole('link', { name: 'billing', exact: true }).click();
      await page.getByRole('button', { name: 'Send a test event' }).click();
      await page.getByRole('button', { name: 'Attempts of webhook.test' }).waitFor();
      const shown = process.env.KEYSLOT_IMAGES;
      if (shown !== undefined)
        await page.screenshot({ path: `${shown}/webhook-${view.width}-${view.colorScheme}.png` });
      await expectSound(page);
      expect(complaints).toEqual([]);
    },
  );
});
