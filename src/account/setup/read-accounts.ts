import { serviceError } from '../../core/service-error.ts';
import type { ListPosition } from '../../core/read-page.ts';
import { and, desc, eq, sql } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';
import { accounts } from '../../store/tables.ts';
import { needsCreditLimit } from '../billing/invoices/set-terms.ts';
import { DEVELOPMENT } from '../accounts/account-name.ts';

/** An account as it is listed. */
export type ListedAccount = {
  readonly id: string;
  readonly name: string;
  readonly operates: boolean;
  readonly createdAt: Date;
};

const { id, name, operates, createdAt } = accounts;
const COLUMNS = { id, name: sql<string>`coalesce(${name}, ${DEVELOPMENT})`, operates, createdAt };

/** A page of the accounts of a server. */
export type AccountPage = {
  readonly after: ListPosition | undefined;
  readonly limit: number;
  /** Only accounts whose names contain it. */
  readonly part?: string | undefined;
  /** Only accounts that need a credit limit. */
  readonly isInNeed?: boolean | undefined;
  /** The current month of UTC. */
  readonly month: string;
};

/** Returns accounts after a position, newest first, each with a flag that it needs a credit limit. */
export function readAccounts(
  store: Pick<Store, 'db'>,
  { after, limit, part, isInNeed = false, month }: AccountPage,
): Promise<readonly (ListedAccount & { readonly needsCreditLimit: boolean })[]> {
  const needs = needsCreditLimit(month);
  const isBehind =
    after && sql`(${createdAt}, ${id}) < (${after.at.toISOString()}::timestamptz, ${after.id}::uuid)`;
  const contains = part === undefined ? undefined : sql`strpos(${COLUMNS.name}, ${part}) > 0`;
  return store.db
    .select({ ...COLUMNS, needsCreditLimit: needs })
    .from(accounts)
    .where(and(isBehind, contains, isInNeed ? needs : undefined))
    .orderBy(desc(createdAt), desc(id))
    .limit(limit);
}

/** Returns the account with an id. @throws ServiceError `accountNotFound`. */
export async function readAccount(store: Pick<Store, 'db'>, accountId: string): Promise<ListedAccount> {
  const [row] = await store.db.select(COLUMNS).from(accounts).where(eq(id, accountId));
  if (row === undefined) throw serviceError('accountNotFound', { name: accountId });
  return row;
}
