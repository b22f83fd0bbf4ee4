import { eq } from '../../store/drizzle.ts';
import { accessTokens } from '../../store/access-tables.ts';
import type { OperationContext } from './account-context.ts';

/**
 * Returns when the access token of a request expires; undefined for a session, and for a token that does not expire. Anything the request
 * creates expires no later.
 */
export async function callerEnd({ caller, store }: OperationContext): Promise<Date | undefined> {
  if (caller.tokenId === undefined) return undefined;
  const { id, expiresAt } = accessTokens;
  const [token] = await store.db.select({ expiresAt }).from(accessTokens).where(eq(id, caller.tokenId));
  return token?.expiresAt ?? undefined;
}
