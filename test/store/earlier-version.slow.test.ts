import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { credit, creditOnce } from '../../src/account/billing/books/credit.ts';
import { readBalance } from '../../src/account/billing/books/balance.ts';
import { readAccount } from '../../src/account/setup/read-accounts.ts';
import { limitRequests } from '../../src/store/access-tables.ts';
import { NOW_MS } from '../account/new-customer.ts';
import { describeStores, useStore } from './backends.ts';
import { makeEarlier } from './make-earlier.ts';

describeStores('a store of the version before accounts could operate', (backend) => {
  test('keeps its accounts, none of which operates, and its books; what came since works', async () => {
    const place = backend.place();
    const accountId = randomUUID();
    await makeEarlier(place, {
      before: '0013_operators',
      rows: [
        `insert into accounts (id, kind, name, created_at) values ('${accountId}', 'customer', 'acme', now())`,
        `insert into ledger_accounts (account_id, kind, floor) values ('${accountId}', 'available', 0), ('${accountId}', 'funding', null)`,
        `with made as (
          insert into ledger_transactions (account_id, kind, note, created_at) values ('${accountId}', 'credit', 'invoice 7', now()) returning id
        ), moved as (
          update ledger_accounts set balance = case kind when 'available' then 25000000 else -25000000 end
          where account_id = '${accountId}' returning kind, balance
        )
        insert into ledger_entries (transaction_id, account_id, kind, amount, balance_after)
        select made.id, '${accountId}', moved.kind, moved.balance, moved.balance from made, moved`,
      ],
    });
    const store = await useStore(place);
    expect(await readAccount(store, accountId)).toMatchObject({ name: 'acme', operates: false });
    const given = { accountId, amount: 25_000_000n, note: 'invoice 7', nowMs: NOW_MS };
    const once = () => store.transaction((tx) => creditOnce(tx, { ...given, reference: 'invoice 7' }));
    expect([await once(), await once()]).toEqual([true, false]);
    await store.transaction((tx) => credit(tx, given));
    expect((await readBalance(store, accountId, NOW_MS)).balance).toBe(75_000_000n);
    expect(await store.db.select().from(limitRequests)).toEqual([]);
  });
});
