import type pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Semaphore } from '../../src/core/rpc/semaphore.ts';
import { DEADLINES } from '../../src/store/deadlines.ts';
import { sql } from '../../src/store/drizzle.ts';
import type { Store } from '../../src/store/open-store.ts';
import { createStatement } from '../../src/store/statement.ts';
import { onShare } from '../../src/store/store-statements.ts';
import { describeStores } from './backends.ts';

const one = createStatement(() => sql`select 1`);
/** More than there are connections. */
const MANY = 20;

const WAYS: readonly (readonly [name: string, run: (store: Store) => Promise<unknown>])[] = [
  ['a statement', (store) => one(store.db, {})],
  ['a transaction', (store) => store.transaction((tx) => one(tx, {}))],
  ['statements together', (store) => store.batched((db) => [one(db, {})])],
];

describeStores('statements of low priority', (backend) => {
  const store = backend.shared();

  if (backend.kind === 'pglite')
    test.each(WAYS)('%s waits for no more than one of them', async (_name, run) => {
      const ended: string[] = [];
      const note = async (name: string, running: Promise<unknown>): Promise<void> => {
        await running;
        ended.push(name);
      };
      const low = WAYS.flatMap(([, runLow]) =>
        Array.from({ length: MANY }, () => note('low', runLow(store().lowPriority))),
      );
      await Promise.all([...low, note('other', run(store()))]);
      expect(ended.indexOf('other')).toBeLessThanOrEqual(1);
    });

  test('an account waits for no more than a few of another one, however many members ask for lists', async () => {
    const { lowPriority } = store();
    const ofAccount = (id: string): Store => lowPriority.ofAccount?.(id) ?? lowPriority;
    const ended: string[] = [];
    const note = async (name: string, running: Promise<unknown>): Promise<void> => {
      await running;
      ended.push(name);
    };
    const many = WAYS.flatMap(([, run]) =>
      Array.from({ length: MANY }, () => note('many', run(ofAccount('many')))),
    );
    // A session is looked up before its account is known.
    const others = [note('other', one(ofAccount('other').db, {})), note('anyone', one(lowPriority.db, {}))];
    await Promise.all([...many, ...others]);
    // Three connections, or one: those that run, and one more in turn.
    for (const name of ['other', 'anyone']) expect(ended.indexOf(name)).toBeLessThanOrEqual(7);
  });

  test('one of them gets its turn among others that never cease', async () => {
    let isOver = false;
    const others = Array.from({ length: MANY }, async () => {
      while (!isOver) await one(store().db, {});
    });
    await one(store().lowPriority.db, {});
    isOver = true;
    await Promise.all(others);
  });

  test('one that fails makes room for the next', async () => {
    const failing = Array.from({ length: MANY }, () => store().lowPriority.db.execute(sql`select 1 / 0`));
    const outcomes = await Promise.allSettled(failing);
    expect(outcomes.map(({ status }) => status)).toEqual(failing.map(() => 'rejected'));
    await expect(one(store().lowPriority.db, {})).resolves.toMatchObject({ rowCount: 1 });
  });

  if (backend.kind === 'postgres')
    test('they leave connections to others, however many they are and however long they take', async () => {
      const locked = Promise.withResolvers<void>();
      const release = Promise.withResolvers<void>();
      const holder = store().transaction(async (tx) => {
        await tx.execute(sql`lock table accounts in access exclusive mode`);
        locked.resolve();
        await release.promise;
      });
      await locked.promise;
      const held = Array.from({ length: MANY }, () =>
        store().lowPriority.db.execute(sql`select from accounts`),
      );
      for (const [, run] of WAYS) await run(store());
      release.resolve();
      await Promise.all([holder, ...held]);
    });
});

test('one that has waited as long as for a connection rejects when its turn comes', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const first = Promise.withResolvers<{ readonly rows: readonly unknown[] }>();
  const pool = { query: vi.fn(() => first.promise) };
  const { db } = onShare(pool as unknown as pg.Pool, new Semaphore(1));
  const [running, waiting] = [one(db, {}), one(db, {})];
  const refused = expect(waiting).rejects.toMatchObject({ cause: { message: /no free connection/ } });
  await vi.waitFor(() => expect(pool.query).toHaveBeenCalled());
  vi.advanceTimersByTime(DEADLINES.connectMs);
  first.resolve({ rows: [] });
  await running;
  await refused;
  expect(pool.query).toHaveBeenCalledTimes(1);
});
