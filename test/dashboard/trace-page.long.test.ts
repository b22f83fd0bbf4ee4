import { expect, test } from 'vitest';
import { airdrop, createWallet, describeMemberPages, expectSound } from './use-member-pages.ts';
import { VIEWS } from './views.ts';

const UNKNOWN = '3rXNqTkSnWj5gRHNsZYUujaMLK7cpQAtp9ah1qczEkFZHoeSNZUpqNrtF7QFckHt6abM2D4CsuiWA5KMTvqEdGYw';
const TRACED = { KEYSLOT_LOCALNET_CHEAT_CODES: 'true', KEYSLOT_LOCALNET_GATEWAY_TRACE: 'true' };

await describeMemberPages(
  'the page that explains a transaction',
  ({ world, newMember, open }) => {
    test.each(VIEWS)(
      'shows calls and accounts, without a barrier, too wide or moving: $width px, $colorScheme',
      async (view) => {
        const { page, complaints } = await open(await newMember(), '/wallets', view);
        const address = await createWallet(page, 'traced');
        await airdrop(page);
        await page.goto(`${world().server.baseUrl}/dashboard/explorer/solana-localnet/${address}`);
        await page.getByRole('table').getByRole('link').first().click();
        await page.getByRole('link', { name: 'Explain it call by call' }).click();
        await page.getByRole('heading', { name: 'Explain a transaction' }).waitFor();
        await page.getByText('system: transfer').waitFor();
        await page.getByText('150 compute units').waitFor();
        await page.getByText('made with 0 bytes, owner').waitFor();
        await expectSound(page);
        await page.getByLabel('Signature of a transaction').fill('no signature');
        await page.keyboard.press('Enter');
        await page.getByText('This is not a signature.').waitFor();
        await page.getByLabel('Signature of a transaction').fill(UNKNOWN);
        await page.keyboard.press('Enter');
        await page.getByText('No transaction has this signature').waitFor();
        expect(complaints).toEqual([]);
      },
    );
  },
  { env: TRACED },
);

await describeMemberPages(
  'the page that explains a transaction, where none are explained',
  ({ newMember, open }) => {
    test('says why not', async () => {
      const { page } = await open(await newMember(), `/explorer/solana-localnet/trace/${UNKNOWN}`);
      await page.getByText('This network cannot explain transactions').waitFor();
      await page.getByText('KEYSLOT_LOCALNET_GATEWAY_TRACE=true').waitFor();
      await expectSound(page);
    });
  },
);
