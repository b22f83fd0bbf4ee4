import { ownsApiKey } from '../account/api-keys.ts';
import { ownsToken } from '../account/tokens/access-tokens.ts';
import { serviceError } from '../base/service-error.ts';
import type { AccountContext } from './account-context.ts';
import { isUuid } from './uuid.ts';

/** Keys and tokens do not change their owner. @throws ServiceError `keyNotFound`, also for a key of another account. */
export async function assertOwnKey({ store, caller }: AccountContext, id: string): Promise<void> {
  if (!isUuid(id) || !(await ownsApiKey(store, caller.accountId, id)))
    throw serviceError('keyNotFound', { id });
}

/** @throws ServiceError `tokenNotFound`, also for a token of another account. */
export async function assertOwnToken({ store, caller }: AccountContext, id: string): Promise<void> {
  if (!isUuid(id) || !(await ownsToken(store, caller.accountId, id)))
    throw serviceError('tokenNotFound', { id });
}
