import { accessTokens } from '../../store/access-tables.ts';
import { and, eq } from '../../store/drizzle.ts';
import type { Store } from '../../store/open-store.ts';

/** True when an account has a token with this id, revoked or not. */
export async function hasToken({ db }: Pick<Store, 'db'>, accountId: string, id: string): Promise<boolean> {
  const isIt = and(eq(accessTokens.id, id), eq(accessTokens.accountId, accountId));
  return (await db.select({ id: accessTokens.id }).from(accessTokens).where(isIt)).length > 0;
}
