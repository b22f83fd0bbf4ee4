import { serviceError } from '../base/service-error.ts';
import type { OwnWebhook } from '../webhooks/webhooks.ts';
import type { AccountContext } from './account-context.ts';
import { isUuid } from './uuid.ts';

/** The webhook of the account with an id, if there is one. @throws ServiceError `webhookNotFound` for what is no id. */
export function ownWebhook({ caller: { accountId } }: AccountContext, id: string): OwnWebhook {
  if (!isUuid(id)) throw serviceError('webhookNotFound', { id });
  return { accountId, id };
}

/** The delivery of the account with an id, if there is one. @throws ServiceError `deliveryNotFound` for what is no id. */
export function ownDelivery({ caller: { accountId } }: AccountContext, id: string): OwnWebhook {
  if (!isUuid(id)) throw serviceError('deliveryNotFound', { id });
  return { accountId, id };
}
