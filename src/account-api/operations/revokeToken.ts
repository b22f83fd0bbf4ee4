import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { revokeToken as revoke } from '../../account/tokens/access-tokens.ts';
import { serviceError } from '../../base/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { assertOwnToken } from '../assert-own.ts';
import { recordChange } from '../record-change.ts';

/** `DELETE /account/v1/tokens/{id}`. A token that is revoked already answers when it was. */
export const revokeToken: AccountHandler<AccountContext, 'revokeToken'> = async (context, { id }) => {
  await assertOwnToken(context, id);
  const deps = { ...context, record: recordChange(context, 'revoketoken') };
  const revokedAt = await revoke(deps, id, context.clock.nowMs());
  if (revokedAt === undefined) throw serviceError('tokenNotFound', { id });
  return { kind: 'json', body: { token_id: id, revoked_at: revokedAt.toISOString() } };
};
