import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { assertEndsBefore, createApiKey } from '../../identity/api-keys/api-keys.ts';
import type { OperationContext } from '../account-context.ts';
import { callerEnd } from '../caller-end.ts';
import { toKeyView } from '../key-view.ts';
import { readKeyRules } from '../read-key-rules.ts';
import { recordChange } from '../record-change.ts';

/** `POST /account/v1/keys`. The secret is in the answer, and nowhere else. */
export const createKey: AccountHandler<OperationContext, 'createKey'> = async (context, { body }) => {
  const { caller, clock, bounds } = context;
  const { name, ...written } = body;
  const rules = readKeyRules(context, written);
  const nowMs = clock.nowMs();
  const tokenEnd = await callerEnd(context);
  if (rules.endsAt) assertEndsBefore(rules.endsAt, tokenEnd);
  const wanted = { accountId: caller.accountId, name, rules, tokenEnd, atMost: bounds.max_keys };
  const deps = { ...context, record: recordChange(context, 'createkey') };
  const { text, key } = await createApiKey(deps, wanted, nowMs);
  return { kind: 'json', body: { ...toKeyView(key, nowMs), api_key: text } };
};
