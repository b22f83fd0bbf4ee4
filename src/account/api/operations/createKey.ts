import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { createApiKey } from '../../identity/api-keys/api-keys.ts';
import { isOrigin } from '../../identity/api-keys/key-rules.ts';
import { isCidr } from '../../../core/cidr.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { OperationContext } from '../account-context.ts';
import { callerEnd } from '../caller-end.ts';
import { recordChange } from '../record-change.ts';
import { toKeyView } from '../key-view.ts';

/** `POST /account/v1/keys`. The secret is in the answer, and nowhere else. */
export const createKey: AccountHandler<OperationContext, 'createKey'> = async (context, { body }) => {
  const { caller, clock, bounds } = context;
  const { name, allowed_origins: origins = [], allowed_cidrs: cidrs = [] } = body;
  const errors = [
    ...invalidItems('allowed_origins', origins, isOrigin, 'must be an origin, such as https://app.example'),
    ...invalidItems('allowed_cidrs', cidrs, isCidr, 'must be an address or a network, such as 10.0.0.0/8'),
  ];
  if (errors.length > 0) throw serviceError('bodyInvalid', { errors });
  const nowMs = clock.nowMs();
  const wanted = {
    accountId: caller.accountId,
    name,
    rules: { origins, cidrs },
    endsAt: await callerEnd(context),
    atMost: bounds.max_keys,
  };
  const deps = { ...context, record: recordChange(context, 'createkey') };
  const { text, key } = await createApiKey(deps, wanted, nowMs);
  return { kind: 'json', body: { ...toKeyView(key, nowMs), api_key: text } };
};

function invalidItems(
  member: string,
  texts: readonly string[],
  fits: (text: string) => boolean,
  detail: string,
): readonly { readonly pointer: string; readonly detail: string }[] {
  return texts.flatMap((text, index) => (fits(text) ? [] : [{ pointer: `/${member}/${index}`, detail }]));
}
