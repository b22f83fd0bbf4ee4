import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { listAudit } from '../../src/account/audit/list-audit.ts';
import type { ToldMembers } from '../../src/account/email/member-mail.ts';
import { eventually } from '../../src/core/eventually.ts';
import { loadConfig } from '../../src/core/config/load-config.ts';
import { startWebhooks } from '../../src/serve/start-webhooks.ts';
import { gateways } from '../../src/store/access-tables.ts';
import { accounts } from '../../src/store/tables.ts';
import { deleteWebhook } from '../../src/account/webhooks/delete-webhook.ts';
import { sendTest } from '../../src/account/webhooks/deliveries.ts';
import { noteAct } from '../../src/account/webhooks/limited-acts.ts';
import { createLedgerStarts } from '../../src/account/webhooks/ledger/ledger-starts.ts';
import {
  changeWebhook,
  createWebhook,
  MAX_WEBHOOKS,
  readWebhook,
} from '../../src/account/webhooks/webhooks.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { newInstallationKey } from '../account/test-installation-key.ts';
import { describeStores, SILENT } from '../store/backends.ts';
import { startReceiver } from '../account/webhooks/receiver.ts';

const DAY_MS = 86_400_000;

describeStores('the webhooks of a server', (backend) => {
  const store = backend.emptied();

  /** Starts to send to a webhook at a receiver on this machine. */
  async function start(url: string) {
    const [accountId, ownerId] = [randomUUID(), randomUUID()];
    await store()
      .db.insert(accounts)
      .values({ id: accountId, kind: 'development', createdAt: new Date(NOW_MS) });
    await store().db.insert(gateways).values({ id: ownerId, machine: 'a', pid: 1, started: 'a' });
    const installationKey = await newInstallationKey();
    const deps = { store: store(), installationKey, record: () => Promise.resolve() };
    const choice = { name: 'a', url, events: [], isOrdered: false };
    const { webhook } = await createWebhook(deps, accountId, choice, NOW_MS);
    const mails: ToldMembers[] = [];
    const clock = { now: NOW_MS, nowMs: () => clock.now };
    const attempts: string[] = [];
    const { close } = startWebhooks({
      config: loadConfig({ env: {} }),
      store: store(),
      planOf: () => ({ requestsPerSecond: 100 }),
      account: { installationKey, ownerId },
      mail: { tellMembers: async (_tx: unknown, one: ToldMembers) => void mails.push(one) },
      metrics: { countAttempts: (outcome) => void attempts.push(outcome), countStop: () => undefined },
      sources: [],
      ledgers: createLedgerStarts([], () => undefined),
      logFailure: () => undefined,
      clock,
      log: SILENT,
    });
    onTestFinished(close);
    return { deps, own: { accountId, id: webhook.id }, mails, attempts, clock };
  }

  test('tell members when a receiver wants no more, and not when a member has turned it off meanwhile', async () => {
    const receiver = await startReceiver();
    const { deps, own, mails, attempts } = await start(receiver.url);
    receiver.answerWith((_received, response) => {
      const off = changeWebhook(deps, own, { isActive: false }, NOW_MS);
      off.then(
        () => response.writeHead(410).end(),
        () => response.destroy(),
      );
    });
    await sendTest(deps, own, NOW_MS);
    await eventually('the round is over', () => attempts.length > 0 || undefined);
    expect(await readWebhook(store().db, own)).toMatchObject({ stop: 'turned_off' });
    expect((await listAudit(store(), own.accountId, { limit: 1 })).records).toEqual([]);
    expect(mails).toEqual([]);

    receiver.answerWith((_received, response) => response.writeHead(410).end());
    await changeWebhook(deps, own, { isActive: true }, NOW_MS);
    await eventually('the second round is over', () => attempts.length > 1 || undefined);
    expect(await readWebhook(store().db, own)).toMatchObject({ stop: 'gone' });
    expect((await listAudit(store(), own.accountId, { limit: 1 })).records).toMatchObject([
      { action: 'webhook.stop', outcome: 'gone', subject: own.id },
    ]);
    expect(mails).toMatchObject([{ kind: 'webhook', accountId: own.accountId }]);
  });

  test('tell members of stops once a day for each webhook, and of as many as an account may have, deleted ones too', async () => {
    const receiver = await startReceiver();
    const { deps, own, mails, clock } = await start(receiver.url);
    receiver.answerWith((_received, response) => response.writeHead(410).end());
    const stopOf = async (id: string): Promise<void> => {
      const webhook = { accountId: own.accountId, id };
      await changeWebhook(deps, webhook, { isActive: true }, clock.now);
      await sendTest(deps, webhook, clock.now);
      await eventually('it is stopped', async () =>
        (await readWebhook(store().db, webhook)).stop === 'gone' ? true : undefined,
      );
    };
    for (let stops = 0; stops < 3; stops++) await stopOf(own.id);
    expect(mails).toHaveLength(1);
    clock.now += DAY_MS - 1;
    await stopOf(own.id);
    expect(mails).toHaveLength(1);
    clock.now += 1;
    await stopOf(own.id);
    expect(mails).toHaveLength(2);

    const deleted = { accountId: own.accountId, id: randomUUID() };
    for (let noted = 1; noted < MAX_WEBHOOKS - 1; noted++)
      await store().transaction((tx) => noteAct(tx, deleted, 'stop_email', clock.now));
    const choice = { name: 'a', url: receiver.url, events: [], isOrdered: false };
    for (const told of [3, 3]) {
      const { webhook } = await createWebhook(deps, own.accountId, choice, clock.now);
      await stopOf(webhook.id);
      await deleteWebhook(deps, { accountId: own.accountId, id: webhook.id }, clock.now);
      expect(mails).toHaveLength(told);
    }
  });
});
