import type { AccountHandler } from '../../../generated/account/handlers.ts';
import { createApiKey } from '../../account/api-keys.ts';
import { isOrigin } from '../../account/key-rules.ts';
import { isCidr } from '../../base/cidr.ts';
import { serviceError } from '../../base/service-error.ts';
import type { AccountContext } from '../account-context.ts';
import { callerEnd } from '../caller-end.ts';
import { recordChange } from '../record-change.ts';
import { showKey } from '../show-key.ts';

/** `POST /account/v1/keys`. The secret is in the answer, and nowhere else. */
export const createKey: AccountHandler<AccountContext, 'createKey'> = async (context, { body }) => {
  const { caller, clock } = context;
  const { name, allowed_origins: origins = [], allowed_cidrs: cidrs = [] } = body;
  const errors = [
    ...misfits('allowed_origins', origins, isOrigin, 'must be an origin, such as https://app.example'),
    ...misfits('allowed_cidrs', cidrs, isCidr, 'must be an address or a network, such as 10.0.0.0/8'),
  ];
  if (errors.length > 0) throw serviceError('bodyInvalid', { errors });
  const nowMs = clock.nowMs();
  const wanted = {
    accountId: caller.accountId,
    name,
    rules: { origins, cidrs },
    endsAt: await callerEnd(context),
  };
  const deps = { ...context, record: recordChange(context, 'createkey') };
  const { text, key } = await createApiKey(deps, wanted, nowMs);
  return { kind: 'json', body: { ...showKey(key, nowMs), api_key: text } };
};

function misfits(
  member: string,
  texts: readonly string[],
  fits: (text: string) => boolean,
  detail: string,
): readonly { readonly pointer: string; readonly detail: string }[] {
  return texts.flatMap((text, index) => (fits(text) ? [] : [{ pointer: `/${member}/${index}`, detail }]));
}
