import { ownsApiKey } from '../identity/api-keys/api-keys.ts';
import { ownsToken } from '../identity/tokens/access-tokens.ts';
import { serviceError } from '../../core/service-error.ts';
import type { OperationContext } from './account-context.ts';
import { isUuid } from './uuid.ts';

/** Keys and tokens do not change their owner. @throws ServiceError `keyNotFound`, also for a key of another account. */
export async function assertOwnKey({ store, caller }: OperationContext, id: string): Promise<void> {
  if (!isUuid(id) || !(await ownsApiKey(store, caller.accountId, id)))
    throw serviceError('keyNotFound', { id });
}

/** @throws ServiceError `tokenNotFound`, also for a token of another account. */
export async function assertOwnToken({ store, caller }: OperationContext, id: string): Promise<void> {
  if (!isUuid(id) || !(await ownsToken(store, caller.accountId, id)))
    throw serviceError('tokenNotFound', { id });
}
