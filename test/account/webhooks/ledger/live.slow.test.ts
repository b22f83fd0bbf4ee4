import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccountClient } from '../../../../generated/account/client.ts';
import { parseWebhook, type WebhookEvent } from '../../../../generated/account/events.ts';
import { eventually } from '../../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../../support/keyslot.ts';
import { startReceiver, verified } from '../receiver.ts';
import { callLedger } from './call-ledger.ts';

const ADDRESS = `${'1'.repeat(31)}2`;
const SYSTEM = '1'.repeat(32);

let server: RunningKeyslot;
let account: ReturnType<typeof createAccountClient>;
beforeAll(async () => {
  server = await startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: '50', KEYSLOT_STREAM_POLL_MS: '20' } });
  const text = await readFile(join(server.dataDir, 'dev.json'), 'utf8');
  const { access_token: token } = JSON.parse(text) as { readonly access_token: string };
  account = createAccountClient({ url: server.baseUrl, token });
});
afterAll(() => server?.stop());

const airdrop = (lamports: number): Promise<string> =>
  callLedger(server.rpcUrl, 'requestAirdrop', ADDRESS, lamports);

type Statuses = { readonly value: readonly ({ readonly confirmationStatus: string } | null)[] };

/** Waits until a transaction is confirmed or finalized. */
async function isAtLeast(status: 'confirmed' | 'finalized', signature: string): Promise<void> {
  await eventually(`it is ${status}`, async () => {
    const { value } = await callLedger<Statuses>(server.rpcUrl, 'getSignatureStatuses', [signature]);
    const reached = value[0]?.confirmationStatus;
    return reached === status || reached === 'finalized' || undefined;
  });
}

/** Starts a receiver of a webhook with these filters, whose events both parsers have read. */
async function open(ledger: Parameters<typeof account.createWebhook>[0]['ledger']) {
  const receiver = await startReceiver();
  const choice = { name: 'a ledger', url: receiver.url, events: ['ledger.*'] };
  const { secret, ...webhook } = await account.createWebhook({ ...choice, ...(ledger && { ledger }) });
  const events = async (count: number): Promise<readonly WebhookEvent[]> => {
    const received = await eventually(`${count} events come`, () =>
      receiver.received.length >= count ? receiver.received : undefined,
    );
    for (const one of received) expect(verified(one, secret)).toEqual(JSON.parse(one.body));
    const parsed = await Promise.all(
      received.map(({ body, headers }) => parseWebhook({ body, headers, secret })),
    );
    return parsed.toSorted((a, b) => positionOf(a) - positionOf(b));
  };
  return { webhook, events };
}

const positionOf = ({ data }: WebhookEvent): number =>
  'previous_hash' in data || !('position' in data) ? 0 : data.position;

test('an airdrop to a chosen address arrives, signed: its transaction and the balances', async () => {
  const { webhook, events } = await open({ filters: [{ kind: 'address', value: ADDRESS }] });
  expect(webhook.ledger).toMatchObject({ network: 'solana-localnet', commitment: 'confirmed', events: 0 });
  const before = await callLedger<{ readonly value: number }>(server.rpcUrl, 'getBalance', ADDRESS);
  const signature = await airdrop(1_500_000);
  const [first, second] = await events(2);
  expect(first).toMatchObject({
    type: 'ledger.transaction',
    data: { network: 'solana-localnet', position: 1, signature, fee: '5000' },
  });
  expect(second).toMatchObject({
    type: 'ledger.balance',
    data: {
      position: 2,
      signature,
      address: ADDRESS,
      lamports_before: String(before.value),
      lamports_after: String(before.value + 1_500_000),
    },
  });
  const { deliveries } = await account.listDeliveries(webhook.webhook_id);
  expect(deliveries.map(({ network, position }) => [network, position]).sort()).toEqual([
    ['solana-localnet', 1],
    ['solana-localnet', 2],
  ]);
  await account.deleteWebhook(webhook.webhook_id);
});

test('a program and a signature, finalized, the latter also when it was in the ledger before', async () => {
  const signature = await airdrop(1_600_000);
  await isAtLeast('finalized', signature);
  const filters = [
    { kind: 'signature' as const, value: signature },
    { kind: 'program' as const, value: SYSTEM },
  ];
  const { webhook, events } = await open({ commitment: 'finalized', filters });
  const [known] = await events(1);
  expect(known).toMatchObject({ type: 'ledger.signature', data: { signature, status: 'finalized' } });
  const next = await airdrop(1_700_000);
  const [, named] = await events(2);
  expect(named).toMatchObject({
    type: 'ledger.transaction',
    data: { signature: next, filters: [filters[1]] },
  });
  await account.deleteWebhook(webhook.webhook_id);
});

test('a filter that is added counts for what happens after it, and one that is gone for nothing', async () => {
  const { webhook, events } = await open(undefined);
  const filters = [{ kind: 'address' as const, value: ADDRESS }];
  for (let round = 1; round <= 3; round++) {
    const changed = await account.updateWebhook(webhook.webhook_id, { ledger: { filters } });
    expect(changed.ledger).toMatchObject({ filters });
    await airdrop(2_000_000 + round);
    await events(2 * round);
    await account.updateWebhook(webhook.webhook_id, { ledger: { filters: [] } });
    await isAtLeast('confirmed', await airdrop(3_000_000 + round));
  }
  const all = await events(6);
  expect(all.map(positionOf)).toEqual([1, 2, 3, 4, 5, 6]);
  await account.deleteWebhook(webhook.webhook_id);
});

test.each([
  [{ network: 'nowhere', filters: [] }, '/ledger/network'],
  [{ filters: [{ kind: 'address' as const, value: '0' }] }, '/ledger/filters/0/value'],
  [{ filters: [{ kind: 'signature' as const, value: ADDRESS }] }, '/ledger/filters/0/value'],
])('%j is refused', async (ledger, pointer) => {
  const asked = account.createWebhook({ name: 'a', url: 'http://127.0.0.1:9/', ledger });
  await expect(asked).rejects.toMatchObject({
    failure: { code: 'body_invalid', problem: { errors: [{ pointer }] } },
  });
});

test('filters whose events nobody wants are refused', async () => {
  const filters = [{ kind: 'address' as const, value: ADDRESS }];
  const choice = { name: 'a', url: 'http://127.0.0.1:9/', events: ['wallet.*'], ledger: { filters } };
  await expect(account.createWebhook(choice)).rejects.toMatchObject({
    failure: { code: 'body_invalid', problem: { errors: [{ pointer: '/events' }] } },
  });
});
