import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { rotateApiKey } from '../../identity/api-keys/rotate-api-key.ts';
import type { AccountContext } from '../account-context.ts';
import { assertOwnKey } from '../assert-own.ts';
import { callerEnd } from '../caller-end.ts';
import { recordChange } from '../record-change.ts';

/** `POST /account/v1/keys/{id}/rotate`. The secret is in the answer, and nowhere else. */
export const rotateKey: AccountHandler<AccountContext, 'rotateKey'> = async (context, { id, body }) => {
  await assertOwnKey(context, id);
  const deps = { ...context, record: recordChange(context, 'rotatekey') };
  const wanted = {
    keyId: id,
    overlapMs: body.overlap_seconds * 1000,
    callerEnd: await callerEnd(context),
    // Keys in their overlap have a limit of their own.
    atMost: 2 * context.bounds.max_keys,
  };
  const successor = await rotateApiKey(deps, wanted, context.clock.nowMs());
  const { id: newId, text, name, until, oldUntil } = successor;
  const old = { old_key_id: id, old_works_until: oldUntil.toISOString() };
  const ends = until !== undefined && { expires_at: until.toISOString() };
  return { kind: 'json', body: { key_id: newId, name, api_key: text, ...ends, ...old } };
};
