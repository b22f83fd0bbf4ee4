import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountClient } from '../../../generated/account/client.ts';
import { createWalletClient } from '../../../generated/wallets/client.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { startReceiver, verified } from './receiver.ts';

let server: RunningKeyslot;
let account: ReturnType<typeof createAccountClient>;
let wallets: ReturnType<typeof createWalletClient>;
beforeAll(async () => {
  server = await startKeyslot();
  const text = await readFile(join(server.dataDir, 'dev.json'), 'utf8');
  const { access_token: token } = JSON.parse(text) as { readonly access_token: string };
  account = createAccountClient({ url: server.baseUrl, token });
  wallets = createWalletClient({ url: server.baseUrl, token });
});
afterAll(() => server?.stop());

test('what is done with wallets arrives, signed, in the form of the audit log', async () => {
  const receiver = await startReceiver();
  const { secret, ...webhook } = await account.createWebhook({
    name: 'mine',
    url: receiver.url,
    events: ['wallet.*'],
    ordered: true,
  });
  expect(webhook).toMatchObject({ state: 'active', events: ['wallet.*'], ordered: true });
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  const wallet = await wallets.createWallet({ custody: 'managed' });
  const id = 'wallet_id' in wallet ? wallet.wallet_id : '';
  await wallets.getWallet(id);
  const [first, second] = await eventually('two events', () =>
    receiver.received.length >= 2 ? receiver.received : undefined,
  );
  const events = [first, second].map((one) => verified(one as NonNullable<typeof first>, secret));
  expect(events.map(({ type }) => type)).toEqual(['wallet.create', 'wallet.fetch']);
  const { records } = await account.listAuditRecords({ wallet_id: id });
  expect(events.map(({ data }) => data)).toEqual(
    records.map(({ token_name: _name, ...record }) => record).reverse(),
  );
  const { deliveries } = await eventually('both are settled', async () => {
    const page = await account.listDeliveries(webhook.webhook_id);
    return page.deliveries.length === 2 ? page : undefined;
  });
  const [latest] = deliveries;
  const details = await account.readDelivery(latest?.delivery_id ?? '');
  expect(details).toMatchObject({ delivery: { state: 'delivered', attempts: 1 }, body: second?.body });
  expect(details.attempts).toEqual([
    { number: 1, status: 204, at: expect.any(String), duration_ms: expect.any(Number) },
  ]);
  await account.deleteWebhook(webhook.webhook_id);
});
