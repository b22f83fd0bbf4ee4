import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { revokeToken as revoke } from '../../identity/tokens/access-tokens.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { assertOwnToken } from '../assert-own.ts';
import { recordChange } from '../record-change.ts';

/** `DELETE /account/v1/tokens/{id}`. If the token is already revoked, the answer has the time of that. */
export const revokeToken: AccountHandler<OperationContext, 'revokeToken'> = async (context, { id }) => {
  await assertOwnToken(context, id);
  const deps = { ...context, record: recordChange(context, 'revoketoken') };
  const revokedAt = await revoke(deps, id, context.clock.nowMs());
  if (revokedAt === undefined) throw serviceError('tokenNotFound', { id });
  return { kind: 'json', body: { token_id: id, revoked_at: revokedAt.toISOString() } };
};
