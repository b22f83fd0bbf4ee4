import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { ownsApiKey } from '../../identity/api-keys/api-keys.ts';
import { isMember } from '../../identity/members/is-member.ts';
import { readUsage, type UsageSum } from '../../usage/read-usage.ts';
import type { AccountContext } from '../account-context.ts';
import { readSumSpan, refuse, showSpan } from '../read-span.ts';

/** `GET /account/v1/usage`: sums of the calls of the account, including those that are not stored yet. */
export const getUsage: AccountHandler<AccountContext, 'getUsage'> = async (
  { store, flushUsage, clock, caller: { accountId } },
  { query },
) => {
  const { by, key_id: keyId } = query;
  const span = readSumSpan(query, clock.nowMs());
  const isOwn = async (id: string): Promise<boolean> =>
    (await ownsApiKey(store, accountId, id)) || (await isMember(store, accountId, id));
  if (keyId !== undefined && !(await isOwn(keyId)))
    throw refuse('/key_id', 'is not the id of an API key or a member of the account');
  await flushUsage();
  const sums = await readUsage(store, { ...span, by, accountId, keyId });
  return { kind: 'json', body: { ...showSpan(span), by, rows: sums.map(showSum) } };
};

function showSum({ key, callerErrors, ...sum }: UsageSum) {
  const name = key?.name ?? undefined;
  return { ...sum, caller_errors: callerErrors, ...(name !== undefined && { key_name: name }) };
}
