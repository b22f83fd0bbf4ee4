import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { appendAuditInOwnTransaction } from '../../../src/account/audit/append-audit.ts';
import { listAudit } from '../../../src/account/audit/list-audit.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { gateways } from '../../../src/store/access-tables.ts';
import { eq } from '../../../src/store/drizzle.ts';
import {
  MAX_WAITING,
  MAX_ATTEMPTS,
  PAUSES_MS,
  ROUND_MS,
} from '../../../src/account/webhooks/deliver-round.ts';
import { readDelivery, retryDelivery, sendTest } from '../../../src/account/webhooks/deliveries.ts';
import { holdLease, leaveLease } from '../../../src/account/processes/lease.ts';
import type { Answer } from '../../../src/account/webhooks/post-event.ts';
import { changeWebhook, replayFrom } from '../../../src/account/webhooks/webhooks.ts';
import { NOW_MS } from '../new-customer.ts';
import { openWorld, REFUSED, TAKEN } from './open-world.ts';
import { describeStores, type TestBackend } from '../../store/backends.ts';

const HOUR_MS = 3_600_000;
const CUT_OFF: Answer = { kind: 'failed', error: 'ABORT_ERR' };

describeStores('webhooks', (backend: TestBackend) => {
  const opened = backend.emptied();

  test('each event is sent once, in the form of its record, and the position is behind the last', async () => {
    const world = await openWorld(opened());
    await world.add(...Array.from({ length: 50 }, () => undefined));
    await world.settle();
    expect(world.sent.map(({ seq }) => seq).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, n) => n + 1),
    );
    expect(await world.webhook()).toMatchObject({ position: 50, waiting: 0 });
    expect((await world.states()).delivered).toHaveLength(50);
    expect(await world.round()).toBeUndefined();
  });

  test('an event that fails is tried by the schedule, and then its webhook stops, which is recorded', async () => {
    const store = opened();
    const world = await openWorld(store);
    world.answer = () => REFUSED;
    await world.add(undefined);
    await world.settle();
    for (const pauseMs of PAUSES_MS) {
      world.later(pauseMs - 1);
      await world.settle();
      const before = world.sent.length;
      world.later(pauseMs * 0.1 + 2);
      await world.settle();
      expect(world.sent.length).toBe(before + 1);
    }
    expect(world.sent).toHaveLength(MAX_ATTEMPTS);
    expect(new Set(world.sent.map(({ id }) => id)).size).toBe(1);
    expect(await world.webhook()).toMatchObject({ stop: 'exhausted', waiting: 0 });
    const { records } = await listAudit(store, world.accountId, { limit: 1 });
    expect(records).toMatchObject([{ action: 'webhook.stop', outcome: 'exhausted', subject: world.own.id }]);
    const [row] = (await world.states()).failed ?? [];
    const details = await readDelivery(store, { accountId: world.accountId, id: row?.id ?? '' });
    expect(details.attempts.map(({ number }) => number)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
    expect(details.attempts[0]).toMatchObject({ status: 500, answer: 'no' });
  });

  test('probes of a receiver that is down do not put off the end of the schedule', async () => {
    const world = await openWorld(opened());
    world.answer = () => REFUSED;
    await world.add(undefined);
    await world.settle();
    const probes = 3;
    for (const pauseMs of PAUSES_MS) {
      for (let probe = 0; probe < probes; probe++) {
        world.later(pauseMs / (probes + 1));
        await world.round(true);
      }
      world.later(pauseMs / (probes + 1) + pauseMs * 0.1 + 2);
      await world.settle();
    }
    // The receiver is down from the third attempt on.
    expect(world.sent).toHaveLength(MAX_ATTEMPTS + probes * (PAUSES_MS.length - 2));
    expect(await world.webhook()).toMatchObject({ stop: 'exhausted', waiting: 0 });
  });

  test('a receiver that answers 410 gets no more, until it is turned on again', async () => {
    const world = await openWorld(opened());
    world.answer = () => ({ ...TAKEN, status: 410 }) as Answer;
    await world.add(undefined);
    await world.settle();
    expect(await world.webhook()).toMatchObject({ stop: 'gone', waiting: 1 });
    await world.add(undefined);
    expect(await world.round()).toBeUndefined();
    world.answer = () => TAKEN;
    await changeWebhook(world.deps, world.own, { isActive: true }, world.now());
    await world.settle();
    // The second record is the stop itself.
    expect(world.sent.map(({ seq }) => seq)).toEqual([1, 1, 2, 3]);
    expect(await world.webhook()).toMatchObject({ stop: null, waiting: 0, position: 3 });
  });

  test('records that a change of the events leaves out wait no longer, and go to no URL that is set later', async () => {
    const world = await openWorld(opened(), true);
    world.answer = () => REFUSED;
    await world.add('w_a', undefined);
    await world.settle();
    expect(await world.webhook()).toMatchObject({ waiting: 2 });
    // Meanwhile a round has sent them and not stored the outcome.
    world.later((PAUSES_MS[0] as number) * 1.2);
    const held = Promise.withResolvers<undefined>();
    const sent = Promise.withResolvers<undefined>();
    world.hold = () => {
      sent.resolve(undefined);
      return held.promise;
    };
    const round = world.round();
    await sent.promise;
    await changeWebhook(world.deps, world.own, { events: ['ledger.*'] }, world.now());
    expect((await world.states()).failed).toHaveLength(2);
    held.resolve(undefined);
    await round;
    expect((await world.states()).failed).toHaveLength(2);
    const before = world.sent.length;
    await changeWebhook(world.deps, world.own, { url: 'https://mine.example.com/' }, world.now());
    world.later(PAUSES_MS.reduce((sum, pauseMs) => sum + pauseMs, 0));
    await world.settle();
    expect(world.sent.length).toBe(before);
    expect(await world.webhook()).toMatchObject({ stop: null, waiting: 0 });
  });

  test('events that waited for one that is left out are sent', async () => {
    const world = await openWorld(opened(), true);
    world.answer = () => REFUSED;
    await world.add('w_a');
    const create = { action: 'create', outcome: 'ok', requestId: 'req_a', walletId: 'w_a' };
    await appendAuditInOwnTransaction(opened(), world.accountId, [create], world.now());
    await world.settle();
    expect(await world.webhook()).toMatchObject({ waiting: 2 });
    world.answer = () => TAKEN;
    await changeWebhook(world.deps, world.own, { events: ['wallet.create'] }, world.now());
    await world.settle();
    expect(world.sent.map(({ seq }) => seq)).toEqual([1, 2]);
    expect((await world.states()).delivered).toHaveLength(1);
  });

  test('events of one wallet stay in order behind one that fails, others continue', async () => {
    const world = await openWorld(opened(), true);
    let isBroken = true;
    world.answer = ({ walletId }) => (isBroken && walletId === 'w_a' ? REFUSED : TAKEN);
    await world.add('w_a', 'w_b', 'w_a', undefined, 'w_a');
    await world.settle();
    await world.add('w_a', 'w_b');
    await world.settle();
    expect(world.sent.map(({ seq }) => seq).sort()).toEqual([1, 2, 4, 7]);
    isBroken = false;
    world.later((PAUSES_MS[0] as number) * 1.2);
    await world.settle();
    const ofA = world.sent.filter(({ walletId }) => walletId === 'w_a').map(({ seq }) => seq);
    expect(ofA).toEqual([1, 1, 3, 5, 6]);
    expect(await world.webhook()).toMatchObject({ waiting: 0 });
  });

  test('a receiver that is down gets nothing new, and all at once when it answers', async () => {
    const world = await openWorld(opened());
    world.answer = () => ({ kind: 'failed', error: 'ECONNREFUSED' });
    await world.add(...Array.from({ length: 500 }, () => undefined));
    await world.settle();
    const { position, failures, failingSince } = await world.webhook();
    expect([position, failures]).toEqual([20, 20]);
    expect(failingSince).toEqual(new Date(NOW_MS));
    // A probe that fails does not bring the end of the schedule nearer.
    world.later(1_000);
    await world.round(true);
    expect(world.sent).toHaveLength(21);
    const rows = (await world.states()).waiting ?? [];
    expect(rows.map((row) => row.failures)).toEqual(rows.map(() => 1));
    world.answer = () => TAKEN;
    await world.round(true);
    await world.settle();
    expect(new Set(world.sent.map(({ seq }) => seq)).size).toBe(500);
    expect(await world.webhook()).toMatchObject({
      position: 500,
      waiting: 0,
      failures: 0,
      failingSince: null,
    });
  });

  test('one event that nobody takes holds up no other, and no more than a hundred wait', async () => {
    const world = await openWorld(opened());
    world.answer = ({ seq }) => (seq % 2 === 0 ? REFUSED : TAKEN);
    await world.add(...Array.from({ length: 600 }, () => undefined));
    await world.settle();
    const { waiting } = await world.webhook();
    expect(waiting).toBeGreaterThanOrEqual(MAX_WAITING);
    expect(waiting).toBeLessThan(MAX_WAITING + 20);
    world.answer = () => TAKEN;
    world.later(HOUR_MS);
    await world.settle();
    expect(await world.webhook()).toMatchObject({ waiting: 0, position: 600 });
  });

  test('a longer pause that the receiver asks for is kept', async () => {
    const world = await openWorld(opened());
    world.answer = () => ({ ...REFUSED, retryAfterMs: HOUR_MS }) as Answer;
    await world.add(undefined);
    await world.settle();
    world.later(HOUR_MS - 1);
    await world.settle();
    expect(world.sent).toHaveLength(1);
    world.later(1);
    await world.settle();
    expect(world.sent).toHaveLength(2);
  });

  test('a pause of more than 24 h that the receiver asks for is 24 h', async () => {
    const world = await openWorld(opened());
    world.answer = () => ({ ...REFUSED, retryAfterMs: 7 * 24 * HOUR_MS }) as Answer;
    await world.add(undefined);
    await world.settle();
    world.later(24 * HOUR_MS - 1);
    await world.settle();
    expect(world.sent).toHaveLength(1);
    world.later(1);
    await world.settle();
    expect(world.sent).toHaveLength(2);
  });

  test('what was sent when the process ended is sent again, with the same id', async () => {
    const world = await openWorld(opened());
    await world.add(undefined, undefined);
    world.signal = AbortSignal.abort();
    await world.round();
    expect(await world.webhook()).toMatchObject({ position: 0 });
    world.signal = new AbortController().signal;
    await world.settle();
    expect(world.sent.map(({ seq }) => seq).sort()).toEqual([1, 1, 2, 2]);
    expect(new Set(world.sent.map(({ id }) => id)).size).toBe(2);
  });

  test('an attempt that is cut off does not count: its event is due at once, and what was taken is not sent again', async () => {
    const world = await openWorld(opened(), true);
    await world.add('w_a', 'w_b', 'w_b', undefined);
    const cut = new AbortController();
    world.cut = cut.signal;
    const areTaken = Promise.withResolvers<void>();
    world.hold = ({ seq }) => (seq === 2 ? areTaken.promise : Promise.resolve());
    world.answer = ({ seq }) => (seq === 2 ? CUT_OFF : TAKEN);
    const round = world.round();
    await eventually('others are taken', () => world.sent.length === 3 || undefined);
    cut.abort();
    areTaken.resolve();
    await round;
    expect(await world.webhook()).toMatchObject({ position: 4, failures: 0, failingSince: null });
    const { waiting = [], delivered = [] } = await world.states();
    expect(delivered.map(({ seq }) => seq).sort()).toEqual([1, 4]);
    expect(waiting.toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))).toMatchObject([
      { seq: 2, attempts: 0, failures: 0, nextAt: new Date(world.now()) },
      { seq: 3, attempts: 0, failures: 0, nextAt: null },
    ]);
    world.cut = new AbortController().signal;
    world.answer = () => TAKEN;
    await world.settle();
    expect(world.sent.slice(3).map(({ seq }) => seq)).toEqual([2, 3]);
    expect(await world.webhook()).toMatchObject({ waiting: 0 });
  });

  test('events of a wallet whose answers are slow are sent in several rounds, in order', async () => {
    const world = await openWorld(opened(), true);
    await world.add(...Array.from({ length: 5 }, () => 'w_a'));
    world.answer = () => {
      world.later(ROUND_MS / 2);
      return TAKEN;
    };
    await world.round();
    expect(world.sent.map(({ seq }) => seq)).toEqual([1, 2]);
    await world.settle();
    expect(world.sent.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5]);
    expect(await world.webhook()).toMatchObject({ position: 5, waiting: 0, failures: 0 });
  });

  test('events are replayed from a record on, one is sent again, and a test goes its own way', async () => {
    const store = opened();
    const world = await openWorld(store);
    await world.add(undefined, undefined, undefined);
    await world.settle();
    await replayFrom(world.deps, world.own, 2, world.now());
    await world.settle();
    expect(
      world.sent
        .map(({ seq }) => seq)
        .slice(3)
        .sort(),
    ).toEqual([2, 3]);
    const rows = (await world.states()).delivered ?? [];
    expect(rows.map(({ seq, attempts }) => [seq, attempts]).sort()).toEqual([
      [1, 1],
      [2, 2],
      [3, 2],
    ]);
    const { id = '' } = rows.find(({ seq }) => seq === 1) ?? {};
    await retryDelivery(world.deps, { accountId: world.accountId, id }, world.now());
    await sendTest(world.deps, world.own, world.now());
    await world.settle();
    const last = world.sent.slice(5);
    expect(last).toHaveLength(2);
    expect(last.find(({ seq }) => seq === 1)).toBeDefined();
    expect(last.find(({ seq }) => seq === undefined)?.id).toMatch(/^test_/);
    expect(await world.webhook()).toMatchObject({ position: 3, waiting: 0 });
  });

  test('one process delivers, and another when that one is gone', async () => {
    const store = opened();
    const [first, second] = [randomUUID(), randomUUID()];
    const row = { machine: 'a', pid: 1, started: 'a' };
    await store.db.insert(gateways).values([first, second].map((id) => ({ id, ...row })));
    expect(await holdLease(store, 'a', first)).toBe(true);
    expect(await holdLease(store, 'a', second)).toBe(false);
    expect(await holdLease(store, 'b', second)).toBe(true);
    await leaveLease(store, 'a', second);
    expect(await holdLease(store, 'a', second)).toBe(false);
    await store.db.delete(gateways).where(eq(gateways.id, first));
    expect(await holdLease(store, 'a', second)).toBe(true);
    expect(await holdLease(store, 'a', first)).toBe(false);
  });
});
