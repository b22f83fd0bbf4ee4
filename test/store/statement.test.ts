import { expect, test, vi } from 'vitest';
import { sql } from '../../src/store/drizzle.ts';
import { createSelection } from '../../src/store/select-rows.ts';
import { createStatement, type PlaceholderOf } from '../../src/store/statement.ts';
import { accounts } from '../../src/store/tables.ts';
import { describeStores } from './backends.ts';

type Pair = { readonly one: number; readonly all: readonly string[] };

const ACCOUNT = 'a0000000-0000-4000-8000-000000000000';

describeStores('statements that are built once', (backend) => {
  const store = backend.emptied();

  test('a statement is written once, and carried out with other values each time, in a transaction too', async () => {
    const write = vi.fn(
      (param: PlaceholderOf<Pair>) =>
        sql`select ${param('one')}::int + 1 as next, cardinality(${param('all')}::text[]) as count where ${param('one')}::int > ${0}`,
    );
    const carryOut = createStatement<Pair>(write);
    const { db } = store();
    expect((await carryOut(db, { one: 1, all: ['a'] })).rows).toEqual([{ next: 2, count: 1 }]);
    const within = await store().transaction((tx) => carryOut(tx, { one: 7, all: ['a', 'b,"c'] }));
    expect(within.rows).toEqual([{ next: 8, count: 2 }]);
    expect((await carryOut(db, { one: 0, all: [] })).rows).toEqual([]);
    expect(write).toHaveBeenCalledTimes(1);
  });

  test('a value that PostgreSQL refuses is told, and the next one is taken', async () => {
    const carryOut = createStatement<{ readonly id: string }>(
      (param) => sql`select ${param('id')}::uuid as id`,
    );
    await expect(carryOut(store().db, { id: 'none' })).rejects.toMatchObject({ cause: { code: '22P02' } });
    expect((await carryOut(store().db, { id: ACCOUNT })).rows).toEqual([{ id: ACCOUNT }]);
  });

  test('rows are read as the table has them, by a statement that is kept', async () => {
    const select = createSelection<typeof accounts, { readonly id: string }>(
      accounts,
      (param) => sql`id = ${param('id')}`,
    );
    const { db } = store();
    expect(await select(db, { id: ACCOUNT })).toEqual([]);
    const row = { id: ACCOUNT, kind: 'customer' as const, createdAt: new Date(1_760_000_000_123) };
    await db.insert(accounts).values(row);
    expect(await select(db, { id: ACCOUNT })).toEqual([{ ...row, name: null, plan: null, operates: false }]);
    expect(await store().transaction((tx) => select(tx, { id: ACCOUNT }))).toHaveLength(1);
    // Only the embedded store keeps statements: between a server and PostgreSQL may stand what does not.
    const kept = await db.execute(
      sql`select name from pg_prepared_statements where statement like ${'select %"accounts" where id = $1'}`,
    );
    expect(kept.rows).toHaveLength(backend.kind === 'pglite' ? 1 : 0);
  });
});
