import type { AdapterFactory, CleanedWhere, CustomAdapter } from 'better-auth/adapters';
import type { BetterAuthOptions } from 'better-auth';
import type { SQL } from 'drizzle-orm';
import type { PgColumn, PgTable } from 'drizzle-orm/pg-core';
import { and, count, eq, getTableColumns, gt, inArray, lt } from '../../store/drizzle.ts';
import { loginCredentials, loginSessions, loginVerifications, logins } from '../../store/member-tables.ts';
import type { Store } from '../../store/open-store.ts';
import { digestToken } from './digest-token.ts';

type Row = Record<string, unknown>;

/** Our tables by Better Auth's names. */
const TABLES: Readonly<Record<string, PgTable>> = {
  user: logins,
  session: loginSessions,
  account: loginCredentials,
  verification: loginVerifications,
};

/**
 * Better Auth's access to the store. Of a session's token it stores the digest; Better Auth itself gets the token that it sent.
 *
 * Its own adapter imports a second build of Drizzle, which takes 110 MB: docs/decisions/0070-members-and-sessions.md.
 */
export async function createAuthAdapter(db: Store['db']): Promise<AdapterFactory<BetterAuthOptions>> {
  const { createAdapterFactory } = await import('better-auth/adapters');
  const config = {
    adapterId: 'keyslot',
    adapterName: 'Keyslot',
    supportsUUIDs: true,
    transaction: false,
  } as const;
  return createAdapterFactory({ config, adapter: () => createAdapter(db) });
}

function createAdapter(db: Store['db']): CustomAdapter {
  const find = async ({
    model,
    where = [],
    limit,
  }: {
    model: string;
    where?: CleanedWhere[];
    limit: number;
  }) => {
    const rows: Row[] = await db.select().from(tableOf(model)).where(conditionOf(model, where)).limit(limit);
    return rows.map((row) => withToken(model, row, where));
  };
  const update = (model: string, where: CleanedWhere[], change: object) =>
    db.update(tableOf(model)).set(withDigest(model, change)).where(conditionOf(model, where)).returning();
  const remove = (model: string, where: CleanedWhere[]) =>
    db.delete(tableOf(model)).where(conditionOf(model, where)).returning();
  return {
    create: async ({ model, data }) => {
      const [row] = await db.insert(tableOf(model)).values(withDigest(model, data)).returning();
      return { ...row, ...data };
    },
    findOne: async <T>({ model, where }: { model: string; where: CleanedWhere[] }) =>
      ((await find({ model, where, limit: 1 }))[0] ?? null) as T | null,
    findMany: async <T>(asked: { model: string; where?: CleanedWhere[] | undefined; limit: number }) =>
      (await find({ ...asked, where: asked.where ?? [] })) as T[],
    count: async ({ model, where = [] }) => {
      const [row] = await db.select({ rows: count() }).from(tableOf(model)).where(conditionOf(model, where));
      return row?.rows ?? 0;
    },
    update: async <T>({
      model,
      where,
      update: change,
    }: {
      model: string;
      where: CleanedWhere[];
      update: T;
    }) => {
      const [row] = await update(model, where, change as object);
      return (row === undefined ? null : withToken(model, row, where)) as T | null;
    },
    updateMany: async ({ model, where, update: change }) => (await update(model, where, change)).length,
    delete: async ({ model, where }) => {
      await remove(model, where);
    },
    deleteMany: async ({ model, where }) => (await remove(model, where)).length,
  };
}

function tableOf(model: string): PgTable {
  const table = TABLES[model];
  if (table === undefined) throw new TypeError(`Better Auth asked for an unknown table, ${model}`);
  return table;
}

function conditionOf(model: string, where: readonly CleanedWhere[]): SQL | undefined {
  const columns: Readonly<Record<string, PgColumn>> = getTableColumns(tableOf(model));
  return and(
    ...where.map(({ field, value, operator, connector }) => {
      const column = columns[field];
      if (column === undefined || connector !== 'AND')
        throw new TypeError(`Better Auth asked for ${connector} ${field}, which the adapter does not know`);
      const isSecret = model === 'session' && field === 'token';
      const digested = isSecret ? [value].flat().map((token) => digestToken(String(token))) : [];
      if (operator === 'eq') return eq(column, isSecret ? digested[0] : value);
      if (operator === 'in') return inArray(column, isSecret ? digested : [value].flat());
      if (operator === 'gt') return gt(column, value);
      if (operator === 'lt') return lt(column, value);
      throw new TypeError(`Better Auth asked for the operator ${operator}, which the adapter does not know`);
    }),
  );
}

function withDigest(model: string, data: object): Row {
  const row: Row = { ...data };
  return model === 'session' && typeof row.token === 'string'
    ? { ...row, token: digestToken(row.token) }
    : row;
}

/** The row with the token that it was found by, in place of the digest. */
function withToken(model: string, row: Row, where: readonly CleanedWhere[]): Row {
  if (model !== 'session') return row;
  const sent = where.filter(({ field }) => field === 'token').flatMap(({ value }) => value);
  return { ...row, token: sent.find((token) => digestToken(String(token)) === row.token) ?? row.token };
}
