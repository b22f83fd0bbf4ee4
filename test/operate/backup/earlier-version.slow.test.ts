import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { verifyBooks } from '../../../src/account/billing/books/verify-books.ts';
import { readAccount } from '../../../src/account/setup/read-accounts.ts';
import { openCopySource } from '../../../src/store/copy/copy-source.ts';
import { openCopyTarget } from '../../../src/store/copy/copy-target.ts';
import type { RowPage } from '../../../src/store/copy/copy-client.ts';
import { sql } from '../../../src/store/drizzle.ts';
import { compareMigrations, MIGRATIONS } from '../../../src/store/migrate.ts';
import { describeStores, SILENT, useStore } from '../../store/backends.ts';
import { makeEarlier } from '../../store/make-earlier.ts';

describeStores('a copy of a store of an earlier version', (backend) => {
  test('has the tables of that version, every row in every type, and is migrated when it is opened', async () => {
    const [place, other] = [backend.place(), backend.place()];
    const accountId = randomUUID();
    const name = `a'b"c\\d, {e} ü\t\n`;
    await makeEarlier(place, {
      before: '0013_operators',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', E'a''b"c\\\\d, {e} ü\\t\\n', '2026-01-31T12:34:56.789Z')`,
        `insert into access_tokens (id, account_id, digest, prefix, name, scopes, created_at)
          values ('${randomUUID()}', '${accountId}', sha256('x'), 'ks_tok_', '', array['a,b', '"', 'NULL', ''], now())`,
        `insert into ledger_accounts (account_id, kind, floor, balance)
          values ('${accountId}', 'available', 0, 9007199254740993), ('${accountId}', 'funding', null, -9007199254740993)`,
        `with made as (
          insert into ledger_transactions (account_id, kind, created_at) values ('${accountId}', 'credit', now()) returning id
        )
        insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
        select id, '${accountId}', kind, balance, balance from made, ledger_accounts`,
      ],
    });

    const source = await openCopySource(place, SILENT);
    expect(await compareMigrations(source.migrations, MIGRATIONS)).toBe('older');
    const pages: RowPage[] = [];
    for await (const page of source.pages()) pages.push(page);
    await source.close();

    const target = await openCopyTarget(other, source, SILENT);
    for (const page of pages) await target.write(page);
    const counts = await target.finish();
    expect(counts).toMatchObject({ accounts: 1, ledger_entries: 2, access_tokens: 1 });
    await target.close();
    const copied = await openCopySource(other, SILENT);
    expect(copied.migrations).toEqual(source.migrations);
    await copied.close();

    const store = await useStore(other);
    expect(await readAccount(store, accountId)).toMatchObject({ name, operates: false });
    expect(await verifyBooks(store)).toEqual({ movements: 1, unbalanced: 0, wrongBalances: 0 });
    const { rows } = await store.db.execute(
      sql`select scopes, digest = sha256('x') as same, created_at::text as at from access_tokens`,
    );
    expect(rows).toMatchObject([{ scopes: ['a,b', '"', 'NULL', ''], same: true }]);
    // New rows are numbered after the copied ones, and what is enforced of new rows is again.
    const next = await store.db.execute<{ id: string }>(
      sql`insert into ledger_transactions (account_id, kind, created_at) values (${accountId}, 'credit', now()) returning id::text`,
    );
    expect(next.rows).toEqual([{ id: '2' }]);
    const unbalanced = sql`insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
      values (2, ${accountId}, 'available', 5, 5)`;
    await expect(store.db.execute(unbalanced)).rejects.toThrow();
    await expect(store.db.execute(sql`delete from ledger_entries`)).rejects.toThrow();
  });

  test('of a version that is not known is refused before anything is written', async () => {
    const refused = openCopyTarget(backend.place(), { migrations: [1, 2], where: 'backup x' }, SILENT);
    await expect(refused).rejects.toMatchObject({ code: 'copyRefused' });
    expect(await compareMigrations([1], MIGRATIONS)).toBe('unknown');
  });
});
