import type pg from 'pg';
import { expect, test } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import { createSelection } from '../../src/store/select-rows.ts';
import { createStatement, createWrite, type PlaceholderOf } from '../../src/store/statement.ts';
import { innermostError } from '../../src/store/store-fault.ts';
import { accounts } from '../../src/store/tables.ts';
import { sendBatched } from '../../src/store/transaction.ts';
import { describeStores } from './backends.ts';
import { countSubmits } from './count-submits.ts';

type Named = { readonly id: string; readonly name: string };
const insertion = (param: PlaceholderOf<Named>) =>
  sql`insert into accounts (id, kind, name, created_at) values (${param('id')}, 'customer', ${param('name')}, '2026-01-01Z')`;
const insert = createStatement<Named>(insertion);
const insertLater = createWrite<Named>(insertion);
const rename = createStatement<{ readonly from: string; readonly to: string }, { readonly id: string }>(
  (param) => sql`update accounts set name = ${param('to')} where name = ${param('from')} returning id`,
);
const divide = createStatement<{ readonly by: number }, { readonly whole: number }>(
  (param) => sql`select 10 / ${param('by')}::int as whole`,
);
const count = createStatement<Record<string, never>, { readonly count: number }>(
  () => sql`select count(*)::int as count from accounts`,
);
const select = createSelection<typeof accounts, { readonly name: string }>(
  accounts,
  (param) => sql`name = ${param('name')}`,
);

const [ONE, TWO] = ['a0000000-0000-4000-8000-000000000001', 'a0000000-0000-4000-8000-000000000002'];
const DIVISION_BY_ZERO = '22012';

describeStores('statements of one batch', (backend) => {
  const store = backend.emptied();
  const pool = () => (store().db as unknown as { readonly $client: pg.Pool }).$client;
  const counted = async () => (await count(store().db, {})).rows[0]?.count;

  test('each sees what those before it did, and is answered with its own rows', async () => {
    const answers = await store().batched((db) => [
      insert(db, { id: ONE, name: 'a' }),
      count(db, {}),
      insert(db, { id: TWO, name: 'b' }),
      rename(db, { from: 'b', to: 'c' }),
      rename(db, { from: 'nobody', to: 'd' }),
      select(db, { name: 'c' }),
      count(db, {}),
    ]);
    const [first, one, , renamed, none, [row], two] = answers;
    expect([first.rowCount, first.rows]).toEqual([1, []]);
    expect([one.rows, two.rows]).toEqual([[{ count: 1 }], [{ count: 2 }]]);
    expect([renamed.rows, renamed.rowCount]).toEqual([[{ id: TWO }], 1]);
    expect([none.rows, none.rowCount]).toEqual([[], 0]);
    expect(row).toMatchObject({ id: TWO, name: 'c', createdAt: expect.any(Date) });
    expect(await counted()).toBe(2);
  });

  test('they are one transaction: with one that fails none is done, whichever it is', async () => {
    for (const at of [0, 1, 2]) {
      const refused = store().batched((db) => [
        divide(db, { by: at === 0 ? 0 : 1 }),
        insert(db, { id: ONE, name: 'a' }),
        divide(db, { by: at === 1 ? 0 : 2 }),
        insert(db, { id: TWO, name: 'b' }),
        divide(db, { by: at === 2 ? 0 : 3 }),
      ]);
      await expect(refused).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
      expect(await counted()).toBe(0);
    }
  });

  test('what fails only when all of it is committed is told', async () => {
    await store().db.execute(
      sql`alter table accounts add constraint last unique (created_at) deferrable initially deferred`,
    );
    const refused = store().batched((db) => [
      insert(db, { id: ONE, name: 'a' }),
      insert(db, { id: TWO, name: 'b' }),
    ]);
    await expect(refused).rejects.toMatchObject({ code: '23505' });
    await store().db.execute(sql`alter table accounts drop constraint last`);
    expect(await counted()).toBe(0);
  });

  test('after a failure the same statements are taken, first ones and known ones', async () => {
    const fresh = createStatement<{ readonly by: number }>((param) => sql`select 100 / ${param('by')}::int`);
    const behind = createStatement<{ readonly by: number }>(
      (param) => sql`select 1000 / ${param('by')}::int`,
    );
    for (const by of [0, 0, 1, 0, 1]) {
      const both = store().batched((db) => [fresh(db, { by }), behind(db, { by: 1 })]);
      if (by === 0) await expect(both).rejects.toMatchObject({ code: DIVISION_BY_ZERO });
      else expect(await both).toHaveLength(2);
    }
    expect((await behind(store().db, { by: 10 })).rowCount).toBe(1);
  });

  test('nothing is sent where the beginning throws, or one of its promises rejects by itself', async () => {
    const mistake = new Error('not an amount');
    const throws = store().batched((db) => {
      void insert(db, { id: ONE, name: 'a' });
      throw mistake;
    });
    await expect(throws).rejects.toBe(mistake);
    const nested = async (): Promise<never> => await (async () => Promise.reject(mistake))();
    const rejects = store().batched((db) => [insert(db, { id: ONE, name: 'a' }), nested()]);
    await expect(rejects).rejects.toBe(mistake);
    expect(await counted()).toBe(0);
  });

  test('a value that cannot be sent undoes all, and the next ones are taken', async () => {
    const unsendable = { name: 'b' } as unknown as string;
    const refused = store().batched((db) => [
      insert(db, { id: ONE, name: 'a' }),
      insert(db, { id: TWO, name: unsendable }),
    ]);
    await expect(refused).rejects.toThrow('a value of type object');
    expect(await counted()).toBe(0);
    expect(await store().batched((db) => [insert(db, { id: ONE, name: 'a' }), count(db, {})])).toHaveLength(
      2,
    );
  });

  test('many at the same time are each carried out alone', async () => {
    await insert(store().db, { id: ONE, name: '0' });
    const steps = Array.from({ length: 50 }, (_, step) =>
      store().batched((db) => [
        rename(db, { from: String(step), to: 'between' }),
        rename(db, { from: 'between', to: String(step + 1) }),
      ]),
    );
    const moved = (await Promise.all(steps)).flatMap(([, second]) => second.rows);
    const [row] = (await store().db.execute<{ readonly name: string }>(sql`select name from accounts`)).rows;
    expect(row?.name).toBe(String(moved.length));
    expect(moved.length).toBeGreaterThan(0);
  });

  test('a statement that is begun too late is refused, and an empty one is answered', async () => {
    const late = Promise.withResolvers<unknown>();
    const refused = expect(late.promise).rejects.toThrow('began too late');
    const empty = createStatement(() => sql.raw(''));
    await store().batched((db) => {
      setTimeout(() => count(db, {}).then(late.resolve, late.reject));
      return [count(db, {}), empty(db, {}), count(db, {})];
    });
    await refused;
    expect(await store().batched((db) => [count(db, {})])).toHaveLength(1);
  });

  test('on a connection that was left in a transaction they are refused, not lost with it', async () => {
    const client = await pool().connect();
    await client.query('begin');
    client.release();
    await expect(sendBatched(pool(), (db) => [insert(db, { id: ONE, name: 'a' })])).rejects.toThrow(
      'in a transaction',
    );
    expect(
      await sendBatched(pool(), (db) => [insert(db, { id: TWO, name: 'b' }), count(db, {})]),
    ).toHaveLength(2);
    expect(await counted()).toBe(1);
  });
});

describeStores('a transaction', (backend) => {
  const store = backend.emptied();
  const counted = async () => (await count(store().db, {})).rows[0]?.count;

  test('begins with its first statement, and deferred ones travel with the next', async () => {
    await count(store().db, {});
    const work = () =>
      store().transaction(async (tx) => {
        insertLater(tx, { id: ONE, name: 'a' });
        const first = await count(tx, {});
        insertLater(tx, { id: TWO, name: 'b' });
        return first.rows[0]?.count;
      });
    expect(await countSubmits(work)).toEqual([1, 2]);
    expect(await counted()).toBe(2);
  });

  test('sends what begins at once together', async () => {
    const work = () =>
      store().transaction((tx) =>
        Promise.all([insert(tx, { id: ONE, name: 'a' }), tx.select({ name: accounts.name }).from(accounts)]),
      );
    const [[, [row]], submits] = await countSubmits(work);
    expect([row, submits]).toEqual([{ name: 'a' }, 2]);
  });

  test('commits nothing if a deferred statement fails, wherever it is', async () => {
    for (const at of [0, 1]) {
      const refused = store().transaction(async (tx) => {
        insertLater(tx, { id: ONE, name: 'a' });
        if (at === 0) insertLater(tx, { id: ONE, name: 'again' });
        await count(tx, {});
        insertLater(tx, { id: at === 0 ? TWO : ONE, name: 'b' });
      });
      const error: unknown = await refused.catch((thrown: unknown) => thrown);
      expect(innermostError(error)).toMatchObject({ code: '23505' });
      expect(await counted()).toBe(0);
    }
  });

  test('is not committed after a statement failed, although its work continues', async () => {
    const refused = store().transaction(async (tx) => {
      await insert(tx, { id: ONE, name: 'a' });
      await divide(tx, { by: 0 }).catch(() => undefined);
    });
    await expect(refused).rejects.toThrow('had failed');
    expect(await counted()).toBe(0);
  });

  test('whose work fails sends nothing that has begun at that moment, or later', async () => {
    const mistake = new Error('not an amount');
    const late = Promise.withResolvers<unknown>();
    const work = async (): Promise<void> => {
      const refused = store().transaction(async (tx) => {
        insertLater(tx, { id: ONE, name: 'a' });
        setTimeout(() => insert(tx, { id: ONE, name: 'a' }).then(late.resolve, late.reject));
        await Promise.all([insert(tx, { id: TWO, name: 'b' }), Promise.reject(mistake)]);
      });
      await expect(refused).rejects.toBe(mistake);
      const error: unknown = await late.promise.catch((thrown: unknown) => thrown);
      expect(innermostError(error)).toMatchObject({ message: expect.stringContaining('too late') });
    };
    expect(await countSubmits(work)).toEqual([undefined, 0]);
    expect(await counted()).toBe(0);
  });

  test('leaves nothing of a failure to the next one', async () => {
    const steps = Array.from({ length: 30 }, (_, step) =>
      store().transaction(async (tx) => {
        insertLater(tx, { id: ONE, name: String(step) });
        await count(tx, {});
        if (step % 3 !== 1) throw new Error('given up');
        await tx.delete(accounts);
      }),
    );
    const outcomes = await Promise.allSettled(steps);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(10);
    expect(await counted()).toBe(0);
  });
});
