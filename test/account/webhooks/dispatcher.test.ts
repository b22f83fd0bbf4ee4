import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { gateways } from '../../../src/store/access-tables.ts';
import type { Store } from '../../../src/store/open-store.ts';
import { startDispatcher } from '../../../src/account/webhooks/dispatcher.ts';
import type { PostEvent } from '../../../src/account/webhooks/post-event.ts';
import { describeStores, SILENT, type TestBackend } from '../../store/backends.ts';
import { openWorld, TAKEN } from './open-world.ts';

/** A store whose looks for work are answered as they were asked, after `answer`. */
function withHeldLooks(store: Store, answer: (look: number) => Promise<unknown>): Store {
  let looks = 0;
  const select: Store['db']['select'] = store.db.select.bind(store.db);
  const held = (fields?: object) => {
    const selected = select(fields as never);
    if (fields === undefined || !('webhook' in fields && 'waiting' in fields)) return selected;
    const look = ++looks;
    const hold = (query: object): object =>
      new Proxy(query, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name, target);
          if (name === 'then')
            return (...callbacks: Parameters<Promise<unknown>['then']>) =>
              Promise.resolve(target)
                .then((rows) => answer(look).then(() => rows))
                .then(...callbacks);
          if (typeof member !== 'function') return member;
          return (...args: readonly unknown[]) => hold(member.apply(target, args) as object);
        },
      });
    return hold(selected);
  };
  const db: unknown = Object.create(store.db, { select: { value: held } });
  return Object.create(store, { db: { value: db } }) as Store;
}

describeStores('the dispatcher of webhooks', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('sends nothing again that a round has delivered while work was looked for', async () => {
    const store = opened();
    const world = await openWorld(store);
    await world.add(undefined);
    const gatewayId = randomUUID();
    await store.db.insert(gateways).values({ id: gatewayId, machine: 'a', pid: 1, started: 'a' });
    const [sending, isDelivered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let [sent, looks] = [0, 0];
    const post: PostEvent = async () => {
      sent++;
      await sending.promise;
      return TAKEN;
    };
    const answer = async (look: number): Promise<void> => {
      looks = look;
      if (look !== 2) return;
      sending.resolve();
      await isDelivered.promise;
      await new Promise((resolve) => setImmediate(resolve));
    };
    const dispatcher = startDispatcher({
      planOf: () => ({ requestsPerSecond: Infinity }),
      store: withHeldLooks(store, answer),
      installationKey: world.deps.installationKey,
      gatewayId,
      clock: { nowMs: world.now },
      log: SILENT,
      postFor: () => post,
      userAgent: 'test',
      lookMs: 1,
      onStop: () => Promise.resolve(),
      onRound: () => isDelivered.resolve(),
    });
    onTestFinished(() => {
      sending.resolve();
      isDelivered.resolve();
      return dispatcher.close();
    });
    await eventually('it has looked on', () => looks > 4 || undefined);
    expect(sent).toBe(1);
    expect(await world.webhook()).toMatchObject({ waiting: 0, position: 1 });
  });
});
