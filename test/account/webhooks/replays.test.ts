import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { PLANS } from '../../../generated/plans.ts';
import { deleteWebhook } from '../../../src/account/webhooks/delete-webhook.ts';
import { noteAct, purgeActs } from '../../../src/account/webhooks/limited-acts.ts';
import { createWebhook, replayFrom } from '../../../src/account/webhooks/webhooks.ts';
import { webhookActs } from '../../../src/store/webhook-tables.ts';
import { describeStores, type TestBackend } from '../../store/backends.ts';
import { NOW_MS } from '../new-customer.ts';
import { openWorld } from './open-world.ts';

const {
  of_webhook: OF_WEBHOOK,
  of_account: OF_ACCOUNT,
  window_seconds: WINDOW_S,
} = PLANS.webhook_replay_limit;
const WINDOW_MS = WINDOW_S * 1_000;
const CHOICE = { name: 'a', url: 'https://hooks.example.com/', events: [], isOrdered: false };

describeStores('a replay', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('is refused until an earlier one of its webhook has sent all records, and then is not', async () => {
    const world = await openWorld(opened());
    const replay = (from: number) => replayFrom(world.deps, world.own, from, world.now());
    await world.add(...Array.from({ length: 30 }, () => undefined));
    await world.settle();
    await replay(1);
    const refused = { code: 'webhookReplaying', context: { position: 0, until: 30, retryAfterSeconds: 60 } };
    await expect(replay(1)).rejects.toMatchObject(refused);
    await world.round();
    await expect(replay(1)).rejects.toMatchObject({ ...refused, context: { position: 20, until: 30 } });
    expect(await world.webhook()).toMatchObject({ position: 20 });
    await world.settle();
    expect(await replay(30)).toMatchObject({ position: 29 });
  });

  test('is one of a few an hour of its webhook', async () => {
    const world = await openWorld(opened());
    const replay = () => replayFrom(world.deps, world.own, 1, world.now());
    for (let made = 0; made < OF_WEBHOOK; made++) {
      await replay();
      world.later(1_000);
    }
    const leftMs = WINDOW_MS - OF_WEBHOOK * 1_000;
    const context = { scope: 'a webhook', limit: OF_WEBHOOK, windowSeconds: WINDOW_S };
    const refused = { code: 'webhookReplaysLimited', context };
    await expect(replay()).rejects.toMatchObject({
      ...refused,
      context: { ...context, retryAfterSeconds: leftMs / 1_000 },
    });
    world.later(leftMs - 1);
    await expect(replay()).rejects.toMatchObject({
      ...refused,
      context: { ...context, retryAfterSeconds: 1 },
    });
    world.later(1);
    await replay();
    await expect(replay()).rejects.toMatchObject(refused);
  });

  test('is one of a bounded number of its account, however often webhooks are deleted and made again', async () => {
    const store = opened();
    const world = await openWorld(store);
    const replayNew = async (): Promise<void> => {
      const { webhook } = await createWebhook(world.deps, world.accountId, CHOICE, NOW_MS);
      const own = { accountId: world.accountId, id: webhook.id };
      await replayFrom(world.deps, own, 1, NOW_MS).finally(() => deleteWebhook(world.deps, own, NOW_MS));
    };
    const earlier = { accountId: world.accountId, id: randomUUID() };
    for (let made = 1; made < OF_ACCOUNT; made++)
      await store.transaction((tx) => noteAct(tx, earlier, 'replay', NOW_MS));
    await replayNew();
    const context = { scope: 'an account', limit: OF_ACCOUNT };
    await expect(replayNew()).rejects.toMatchObject({ code: 'webhookReplaysLimited', context });
    const other = await openWorld(store);
    await replayFrom(other.deps, other.own, 1, NOW_MS);
  });

  test('is not counted any more after two days', async () => {
    const store = opened();
    const world = await openWorld(store);
    await replayFrom(world.deps, world.own, 1, NOW_MS);
    const days = (count: number) => NOW_MS + count * 86_400_000;
    await purgeActs(store, days(2));
    expect(await store.db.select().from(webhookActs)).toHaveLength(1);
    await purgeActs(store, days(2) + 1);
    expect(await store.db.select().from(webhookActs)).toEqual([]);
  });
});
