import { eq } from '../store/drizzle.ts';
import { accessTokens } from '../store/access-tables.ts';
import type { AccountContext } from './account-context.ts';

/** When the access token of a request expires; undefined for a session, and for a token that does not. What it makes ends then at the latest. */
export async function callerEnd({ caller, store }: AccountContext): Promise<Date | undefined> {
  if (caller.tokenId === undefined) return undefined;
  const { id, expiresAt } = accessTokens;
  const [token] = await store.db.select({ expiresAt }).from(accessTokens).where(eq(id, caller.tokenId));
  return token?.expiresAt ?? undefined;
}
