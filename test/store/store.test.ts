import { randomBytes, randomUUID } from 'node:crypto';
import { eq, sql } from '../../src/store/drizzle.ts';
import { expect, test } from 'vitest';
import type { Store } from '../../src/store/open-store.ts';
import { accounts, apiKeys } from '../../src/store/tables.ts';
import { describeStores, useStore } from './backends.ts';
import { CHILD_ID, crashAfterInsert } from './crash.ts';

const CREATED = new Date(1_760_000_000_123);

function newAccount() {
  return { id: randomUUID(), kind: 'customer' as const, createdAt: CREATED };
}

function newKey(accountId: string) {
  return {
    id: randomUUID(),
    accountId,
    digest: randomBytes(32),
    prefix: 'ks_key_Abcd',
    name: 'test',
    createdAt: CREATED,
  };
}

async function violation(run: Promise<unknown>): Promise<unknown> {
  const error: unknown = await run.then(
    () => undefined,
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(Error);
  return (error as Error).cause;
}

async function countMigrations(store: Store): Promise<unknown> {
  return (await store.db.execute(sql`select count(*)::int as count from migrations`)).rows[0];
}

describeStores('the store', (backend) => {
  test('answers, keeps rows over a restart and applies each migration once', async () => {
    const place = backend.place();
    const first = await useStore(place);
    expect(first.kind).toBe(backend.kind);
    await first.ping();
    const [account, key] = [newAccount(), newKey('')];
    await first.db.insert(accounts).values(account);
    await first.db.insert(apiKeys).values({ ...key, accountId: account.id });
    const applied = await countMigrations(first);
    await first.close();
    await first.close();

    const second = await useStore(place);
    expect(await second.db.select().from(accounts)).toEqual([
      { ...account, name: null, plan: null, operates: false },
    ]);
    expect(await second.db.select().from(apiKeys)).toEqual([
      {
        ...key,
        accountId: account.id,
        revokedAt: null,
        expiresAt: null,
        allowedOrigins: [],
        allowedCidrs: [],
        ...{ allowedNetworks: [], allowedMethods: [] },
        ...{ requestsPerSecond: null, requestsPerDay: null, endsAt: null },
        endsWithToken: false,
      },
    ]);
    expect(await countMigrations(second)).toEqual(applied);
  });

  test('has a row that was acknowledged before the process was killed', async () => {
    const place = backend.place();
    await crashAfterInsert(place);
    const store = await useStore(place);
    expect(await store.db.select({ id: accounts.id }).from(accounts)).toEqual([{ id: CHILD_ID }]);
  });
});

describeStores('a store that is open', (backend) => {
  const opened = backend.emptied();

  test('refuses what contradicts the tables, by the constraint that it breaks', async () => {
    const { db } = opened();
    const account = newAccount();
    const key = newKey(account.id);
    await db.insert(accounts).values(account);
    await db.insert(apiKeys).values(key);
    await db.insert(accounts).values({ ...newAccount(), kind: 'development' });

    const twice = db.insert(apiKeys).values({ ...key, id: randomUUID() });
    expect(await violation(twice)).toMatchObject({ code: '23505', constraint: 'api_keys_digest' });
    const nobodys = db.insert(apiKeys).values(newKey(randomUUID()));
    expect(await violation(nobodys)).toMatchObject({
      code: '23503',
      constraint: 'api_keys_account_id_accounts_id_fk',
    });
    const short = db.insert(apiKeys).values({ ...newKey(account.id), digest: randomBytes(31) });
    expect(await violation(short)).toMatchObject({ code: '23514', constraint: 'api_keys_digest_size' });
    const second = db.insert(accounts).values({ ...newAccount(), kind: 'development' });
    expect(await violation(second)).toMatchObject({ code: '23505', constraint: 'accounts_one_development' });
    const owner = db.delete(accounts).where(eq(accounts.id, account.id));
    expect(await violation(owner)).toMatchObject({ code: '23503' });
    expect(await db.select().from(apiKeys)).toHaveLength(1);
  });

  test('takes back a transaction that fails, and continues', async () => {
    const { db } = opened();
    const failing = opened().transaction(async (tx) => {
      await tx.insert(accounts).values(newAccount());
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow('changed my mind');
    const broken = opened().transaction(async (tx) => {
      await tx.insert(accounts).values(newAccount());
      await tx.execute(sql`select * from nowhere`);
    });
    expect(await violation(broken)).toMatchObject({ code: '42P01' });
    expect(await db.select().from(accounts)).toEqual([]);
  });

  test('carries answers and parameters of a megabyte', async () => {
    const { db } = opened();
    const text = randomBytes(600_000).toString('hex');
    const { rows } = await db.execute(sql`select ${text}::text as text`);
    expect(rows[0]?.text === text).toBe(true);
  });

  test('serves queries that are asked at once', async () => {
    const { db } = opened();
    const asked = Array.from({ length: 50 }, (_, n) => db.execute(sql`select ${n}::int as n`));
    const answers = (await Promise.all(asked)).map(({ rows }) => rows[0]?.n);
    expect(answers).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });
});
