import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readKeyUses } from '../../identity/api-keys/key-uses.ts';
import { updateApiKey } from '../../identity/api-keys/update-api-key.ts';
import type { OperationContext } from '../account-context.ts';
import { assertOwnKey } from '../assert-own.ts';
import { callerEnd } from '../caller-end.ts';
import { toKeyView } from '../key-view.ts';
import { readKeyRules } from '../read-key-rules.ts';
import { recordChange } from '../record-change.ts';

/** `POST /account/v1/keys/{id}`. */
export const updateKey: AccountHandler<OperationContext, 'updateKey'> = async (context, { id, body }) => {
  await assertOwnKey(context, id);
  const deps = { ...context, record: recordChange(context, 'updatekey') };
  const nowMs = context.clock.nowMs();
  const { dry_run: isDryRun, ...written } = body;
  const rules = readKeyRules(context, written);
  const change = { keyId: id, rules, callerEnd: await callerEnd(context), isDryRun };
  const { key, changes } = await updateApiKey(deps, change, nowMs);
  const uses = await readKeyUses(context.store, [id]);
  return { kind: 'json', body: { ...toKeyView(key, nowMs, uses.get(id)), changes: [...changes] } };
};
