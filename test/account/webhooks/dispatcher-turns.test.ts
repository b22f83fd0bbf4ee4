import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { appendAuditInOwnTransaction } from '../../../src/account/audit/append-audit.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { gateways } from '../../../src/store/access-tables.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { type DispatcherOptions, startDispatcher } from '../../../src/account/webhooks/dispatcher.ts';
import { createWebhook } from '../../../src/account/webhooks/webhooks.ts';
import { webhookDeliveries, webhooks } from '../../../src/store/webhook-tables.ts';
import { newCustomer, NOW_MS } from '../new-customer.ts';
import { newInstallationKey } from '../test-installation-key.ts';
import { describeStores, SILENT, type TestBackend } from '../../store/backends.ts';
import { TAKEN } from './open-world.ts';

const AT_ONCE = 50;
const OF_ACCOUNT = 10;
const PLACES_OF_ACCOUNT = 3;
const SLOW_PLACES = 100;

const installationKey = await newInstallationKey();

describeStores('webhooks that have much to send', (backend: TestBackend) => {
  const opened = backend.emptied();
  let age = 0;

  /** Makes an account with webhooks, younger than those made before, and events that each of them gets. */
  async function createAccount(store: Store, made: { webhooks: number; events: number }) {
    const accountId = await newCustomer(store);
    const deps = { store, installationKey, record: () => Promise.resolve() };
    const choice = { name: 'a', url: 'https://hooks.example.com/', events: [], isOrdered: false };
    for (let n = 0; n < made.webhooks; n++) await createWebhook(deps, accountId, choice, NOW_MS + age++);
    const fact = { action: 'sign', outcome: 'ok', requestId: 'req_a' };
    const facts = Array.from({ length: made.events }, () => fact);
    await appendAuditInOwnTransaction(store, accountId, facts, NOW_MS);
    return accountId;
  }

  /** Starts to send; returns the webhooks of the rounds, in the order in which these begin. */
  async function start(
    store: Store,
    mayAnswer: PromiseWithResolvers<void>,
    {
      slowMs = 60_000,
      planOf = () => ({ requestsPerSecond: Infinity }),
    }: Partial<Pick<DispatcherOptions, 'slowMs' | 'planOf'>> = {},
  ): Promise<readonly string[]> {
    const gatewayId = randomUUID();
    await store.db.insert(gateways).values({ id: gatewayId, machine: 'a', pid: 1, started: 'a' });
    const rounds: string[] = [];
    const dispatcher = startDispatcher({
      planOf,
      store,
      installationKey,
      gatewayId,
      clock: { nowMs: () => NOW_MS },
      log: SILENT,
      userAgent: 'test',
      lookMs: 1,
      slowMs,
      onStop: () => Promise.resolve(),
      onRound: () => undefined,
      postFor: ({ id }) => {
        rounds.push(id);
        return async ({ signal }) => {
          const isCutOff = new Promise<boolean>((resolve) =>
            signal.addEventListener('abort', () => resolve(true)),
          );
          const isLost = await Promise.race([isCutOff, mayAnswer.promise]);
          return isLost === true ? { kind: 'failed', error: 'ABORT_ERR' } : TAKEN;
        };
      },
    });
    onTestFinished(() => {
      mayAnswer.resolve();
      return dispatcher.close();
    });
    return rounds;
  }

  async function accountsOf({ db }: Store): Promise<ReadonlyMap<string, string>> {
    const rows = await db.select({ id: webhooks.id, accountId: webhooks.accountId }).from(webhooks);
    return new Map(rows.map(({ id, accountId }) => [id, accountId]));
  }

  test('have their rounds in turn, however old they are', async () => {
    const store = opened();
    const accounts = AT_ONCE / OF_ACCOUNT + 1;
    for (let made = 0; made < accounts; made++)
      await createAccount(store, { webhooks: OF_ACCOUNT, events: 41 });
    const mayAnswer = Promise.withResolvers<void>();
    mayAnswer.resolve();
    const rounds = await start(store, mayAnswer);
    const all = accounts * OF_ACCOUNT;
    await eventually('each has had its round', () => new Set(rounds).size === all || undefined);
    const accountIds = await accountsOf(store);
    for (const ofAccount of Object.values(Object.groupBy(rounds, (id) => accountIds.get(id) ?? '')))
      expect(new Set(ofAccount?.slice(0, OF_ACCOUNT)).size).toBe(OF_ACCOUNT);
  });

  test('hold up no other account and no other webhook of theirs while their receivers are slow', async () => {
    const store = opened();
    const accounts = AT_ONCE / OF_ACCOUNT;
    for (let made = 0; made < accounts; made++)
      await createAccount(store, { webhooks: OF_ACCOUNT + 2, events: 1 });
    await createAccount(store, { webhooks: 1, events: 1 });
    const mayAnswer = Promise.withResolvers<void>();
    const rounds = await start(store, mayAnswer, { slowMs: 20 });
    const all = accounts * (OF_ACCOUNT + 2) + 1;
    await eventually(
      'each has had a round, though none has answered',
      () => rounds.length === all || undefined,
    );
    expect(new Set(rounds).size).toBe(all);
  });

  test('get what was cut off again when there is a place, and nothing of it counts as a failure', async () => {
    const store = opened();
    const [accounts, ofAccount] = [6, 20];
    for (let made = 0; made < accounts; made++)
      await createAccount(store, { webhooks: ofAccount, events: 1 });
    const mayAnswer = Promise.withResolvers<void>();
    const rounds = await start(store, mayAnswer, { slowMs: 20 });
    const all = accounts * ofAccount;
    await eventually('each has had a round, more than there are places', () =>
      new Set(rounds).size === all ? true : undefined,
    );
    const rows = () => store.db.select().from(webhooks);
    const deliveries = () => store.db.select().from(webhookDeliveries);
    const cutOff = await eventually('some are cut off', async () => {
      const found = await deliveries();
      return found.length >= all - SLOW_PLACES ? found : undefined;
    });
    for (const row of cutOff) expect(row).toMatchObject({ state: 'waiting', attempts: 0, failures: 0 });
    mayAnswer.resolve();
    await eventually('all are delivered', async () => {
      const found = await deliveries();
      return found.length === all && found.every(({ state }) => state === 'delivered') ? true : undefined;
    });
    for (const row of await rows()) expect(row).toMatchObject({ position: 1, failures: 0 });
    for (const row of await deliveries()) expect(row).toMatchObject({ attempts: 1 });
  });

  test('take three places at most if they are of one account', async () => {
    const store = opened();
    await createAccount(store, { webhooks: PLACES_OF_ACCOUNT + 2, events: 1 });
    await createAccount(store, { webhooks: 1, events: 1 });
    const mayAnswer = Promise.withResolvers<void>();
    const rounds = await start(store, mayAnswer);
    await eventually('the other account has its round', () => rounds.length > PLACES_OF_ACCOUNT || undefined);
    expect(rounds).toHaveLength(PLACES_OF_ACCOUNT + 1);
    mayAnswer.resolve();
    await eventually(
      'all have had theirs',
      () => new Set(rounds).size === PLACES_OF_ACCOUNT + 3 || undefined,
    );
  });

  test('get no more events a second than the plan of their account has requests, however many webhooks it has', async () => {
    const store = opened();
    const paced = await createAccount(store, { webhooks: 4, events: 60 });
    const free = await createAccount(store, { webhooks: 1, events: 60 });
    const mayAnswer = Promise.withResolvers<void>();
    mayAnswer.resolve();
    const requestsPerSecond = 40;
    const planOf = (id: string) => ({ requestsPerSecond: id === free ? Infinity : requestsPerSecond });
    const beganMs = performance.now();
    await start(store, mayAnswer, { planOf });
    const deliveredTo = async (accountId: string): Promise<number> => {
      const accountIds = await accountsOf(store);
      const rows = await store.db.select({ webhookId: webhookDeliveries.webhookId }).from(webhookDeliveries);
      return rows.filter((row) => accountIds.get(row.webhookId) === accountId).length;
    };
    await eventually('the other account has all of its events', async () =>
      (await deliveredTo(free)) === 60 ? true : undefined,
    );
    expect(await deliveredTo(paced)).toBeLessThan(240);
    await eventually('the account has all of its events', async () =>
      (await deliveredTo(paced)) === 240 ? true : undefined,
    );
    // Rounds that run together may exceed it once.
    const together = PLACES_OF_ACCOUNT * 20;
    expect(performance.now() - beganMs).toBeGreaterThan(((240 - together) / requestsPerSecond) * 1_000);
  });
});
