import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { revokeApiKey } from '../../identity/api-keys/api-keys.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { assertOwnKey } from '../assert-own.ts';
import { recordChange } from '../record-change.ts';

/** `DELETE /account/v1/keys/{id}`. If the key is already revoked, the answer has the time of that. */
export const revokeKey: AccountHandler<OperationContext, 'revokeKey'> = async (context, { id }) => {
  await assertOwnKey(context, id);
  const deps = { ...context, record: recordChange(context, 'revokekey') };
  const revokedAt = await revokeApiKey(deps, id, context.clock.nowMs());
  if (revokedAt === undefined) throw serviceError('keyNotFound', { id });
  return { kind: 'json', body: { key_id: id, revoked_at: revokedAt.toISOString() } };
};
