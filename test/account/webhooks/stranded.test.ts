import { expect, test } from 'vitest';
import { eq } from '../../../src/store/drizzle.ts';
import { webhookDeliveries } from '../../../src/store/webhook-tables.ts';
import { releaseStranded } from '../../../src/account/webhooks/release-stranded.ts';
import { replayFrom } from '../../../src/account/webhooks/webhooks.ts';
import { describeStores, type TestBackend } from '../../store/backends.ts';
import { openWorld, REFUSED, TAKEN } from './open-world.ts';

/** Behind the first pause of the schedule, and its jitter. */
const DUE_MS = 5_501;

describeStores('events of a wallet that wait', (backend: TestBackend) => {
  const opened = backend.emptied();
  const seqs = (sent: readonly { readonly seq: number }[]) => sent.map(({ seq }) => seq);

  test('keep their time when a round begins with a webhook as it was before the last one', async () => {
    const world = await openWorld(opened(), true);
    await world.add('w_a', 'w_a');
    const before = await world.working();
    world.answer = () => REFUSED;
    await world.round();
    await world.round(false, before);
    await world.settle();
    expect(seqs(world.sent)).toEqual([1]);
    world.answer = () => TAKEN;
    world.later(DUE_MS);
    await world.settle();
    expect(seqs(world.sent)).toEqual([1, 1, 2]);
    expect(await world.webhook()).toMatchObject({ waiting: 0, position: 2 });
  });

  test('come in order, and all of them, after a replay from before them', async () => {
    const world = await openWorld(opened(), true);
    await world.add('w_a');
    await world.settle();
    world.answer = () => REFUSED;
    await world.add('w_a', 'w_a');
    await world.settle();
    world.answer = () => TAKEN;
    await replayFrom(world.deps, world.own, 1, world.now());
    await world.settle();
    world.later(DUE_MS);
    await world.settle();
    expect(await world.webhook()).toMatchObject({ waiting: 0, position: 3 });
    expect(seqs(world.sent).filter((seq) => seq > 1)).toEqual([2, 2, 3]);
  });

  test('are due when what they wait for was delivered by another process meanwhile', async () => {
    const world = await openWorld(opened(), true);
    await world.add('w_a');
    world.answer = () => REFUSED;
    await world.round();
    await world.add('w_a', 'w_b');
    let other: Promise<unknown> = Promise.resolve();
    // While this process sends an event of another wallet, and holds the second one of the first wallet back, the first one is taken.
    world.answer = ({ seq }) => {
      if (seq === 3) {
        world.later(DUE_MS);
        other = world.round();
      }
      return TAKEN;
    };
    world.hold = ({ seq }) => (seq === 3 ? other : Promise.resolve());
    await world.round();
    await world.settle();
    expect(await world.webhook()).toMatchObject({ waiting: 0, position: 3 });
    expect(seqs(world.sent)).toEqual([1, 3, 1, 2]);
  });

  test('that an earlier version left without a time are due when a process begins to deliver', async () => {
    const store = opened();
    const world = await openWorld(store, true);
    await world.add('w_a', 'w_a', 'w_b');
    world.answer = () => REFUSED;
    await world.settle();
    world.answer = () => TAKEN;
    await store.db
      .update(webhookDeliveries)
      .set({ nextAt: null })
      .where(eq(webhookDeliveries.walletId, 'w_a'));
    world.later(DUE_MS);
    await world.settle();
    expect(seqs(world.sent)).toEqual([1, 3, 3]);
    await releaseStranded(store.db, world.now());
    await world.settle();
    expect(seqs(world.sent)).toEqual([1, 3, 3, 1, 2]);
  });
});
