import { loadInstallationKey } from '../../../src/account/sealing/installation-key.ts';
import { appendAuditInOwnTransaction } from '../../../src/account/audit/append-audit.ts';
import { ensureAccount } from '../../../src/account/accounts/accounts.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { openStore } from '../../../src/store/open-store.ts';
import { createWebhook, readWebhook } from '../../../src/account/webhooks/webhooks.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { SILENT } from '../../store/backends.ts';
import { createDatabase, findPostgres, POSTGRES_MISSING } from '../../support/postgres.ts';
import { ACCOUNT } from '../../wallets/open-wallet-server.ts';
import { startWalletServer } from '../../wallets/wallet-server.ts';
import { type Received, startReceiver, verified } from './receiver.ts';

vi.setConfig({ testTimeout: 900_000 });

const EVENTS = 5_000;
const KILLS = 10;
const WALLETS = 50;
const postgresUrl = await findPostgres();

test('5,000 events reach receivers that fail, hang and redirect, through 10 kills: each at least once, in order where promised', async (context) => {
  if (postgresUrl === undefined) return context.skip(POSTGRES_MISSING);
  const { url: databaseUrl, drop } = await createDatabase(postgresUrl);
  onTestFinished(drop);
  const env = { KEYSLOT_DATABASE_URL: databaseUrl, KEYSLOT_WEBHOOKS_ALLOWED_TARGETS: '127.0.0.0/8' };
  const server = await startWalletServer({ env });
  const { dataDir } = server;
  const store = await openStore({ dataDir, databaseUrl }, SILENT);
  onTestFinished(() => store.close());
  const installationKey = await loadInstallationKey({ dataDir });
  const accountId = await ensureAccount(store, ACCOUNT, Date.now());
  const deps = { store, installationKey, record: () => Promise.resolve() };
  const open = async (isOrdered: boolean) => {
    const receiver = await startReceiver();
    const choice = { name: 'a', url: receiver.url, events: ['wallet.*'], isOrdered };
    const { webhook, secret } = await createWebhook(deps, accountId, choice, Date.now());
    return { receiver, secret, own: { accountId, id: webhook.id } };
  };
  const [ordered, flaky, moved, hanging] = [
    await open(true),
    await open(false),
    await open(false),
    await open(false),
  ];
  const tried = new Set<string>();
  flaky.receiver.answerWith(({ id }, response) => {
    const isFirst = !tried.has(id);
    tried.add(id);
    if (!isFirst || !id.endsWith('7')) response.writeHead(204).end();
    else if (id.endsWith('77')) response.destroy();
    else response.writeHead(503, { 'retry-after': '1' }).end();
  });
  const elsewhere = await startReceiver();
  moved.receiver.answerWith((_one, response) => response.writeHead(307, { location: elsewhere.url }).end());
  hanging.receiver.answerWith(() => undefined);

  const before = (await readWebhook(store.db, ordered.own)).position;
  for (let made = 0; made < EVENTS; made += 500) {
    const facts = Array.from({ length: 500 }, (_, index) => ({
      action: 'sign',
      outcome: 'ok',
      requestId: 'req_a',
      walletId: `w_${(made + index) % WALLETS}`,
    }));
    await appendAuditInOwnTransaction(store, accountId, facts, Date.now());
  }
  for (let kills = 0; kills < KILLS; kills++) {
    const seen = ordered.receiver.received.length;
    const wanted = seen + 1 + Math.floor(Math.random() * 200);
    await eventually(
      'more events come',
      () => (ordered.receiver.received.length >= wanted ? true : undefined),
      {
        timeoutMs: 60_000,
        intervalMs: 5,
      },
    );
    await server.kill();
    await server.start();
  }
  const seqs = Array.from({ length: EVENTS }, (_, index) => before + 1 + index);
  const missing = (received: readonly Received[], secret: string): readonly number[] => {
    const got = new Set(received.map((one) => verified(one, secret).data.seq));
    return seqs.filter((seq) => !got.has(seq));
  };
  for (const { receiver, secret, own } of [ordered, flaky]) {
    await eventually(
      'all are delivered',
      async () => {
        const { position, waiting } = await readWebhook(store.db, own);
        return position >= before + EVENTS && waiting === 0 ? true : undefined;
      },
      { timeoutMs: 600_000, intervalMs: 500 },
    );
    expect(missing(receiver.received, secret)).toEqual([]);
  }

  const firsts = new Map<string, number[]>();
  const known = new Set<string>();
  for (const one of ordered.receiver.received) {
    const { data } = verified(one, ordered.secret);
    if (known.has(one.id)) continue;
    known.add(one.id);
    const ofWallet = firsts.get(data.wallet_id ?? '') ?? [];
    firsts.set(data.wallet_id ?? '', [...ofWallet, data.seq]);
  }
  expect(firsts.size).toBe(WALLETS);
  for (const order of firsts.values()) expect(order).toEqual(order.toSorted((a, b) => a - b));

  expect(elsewhere.received).toEqual([]);
  for (const { own } of [moved, hanging]) {
    const { waiting, failures, stop } = await readWebhook(store.db, own);
    expect([stop, failures > 2, waiting <= 40]).toEqual([null, true, true]);
  }
});
