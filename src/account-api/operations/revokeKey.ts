import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { revokeApiKey } from '../../account/api-keys.ts';
import { serviceError } from '../../base/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { assertOwnKey } from '../assert-own.ts';
import { recordChange } from '../record-change.ts';

/** `DELETE /account/v1/keys/{id}`. A key that is revoked already answers when it was. */
export const revokeKey: AccountHandler<AccountContext, 'revokeKey'> = async (context, { id }) => {
  await assertOwnKey(context, id);
  const deps = { ...context, record: recordChange(context, 'revokekey') };
  const revokedAt = await revokeApiKey(deps, id, context.clock.nowMs());
  if (revokedAt === undefined) throw serviceError('keyNotFound', { id });
  return { kind: 'json', body: { key_id: id, revoked_at: revokedAt.toISOString() } };
};
