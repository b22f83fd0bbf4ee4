import { serviceError } from '../../core/service-error.ts';
import type { OwnWebhook } from '../webhooks/webhooks.ts';
import type { OperationContext } from './account-context.ts';
import { isUuid } from './uuid.ts';

/** Names a webhook of the account, which may not exist. @throws ServiceError `webhookNotFound` for a text that is not an id. */
export function ownWebhook({ caller: { accountId } }: OperationContext, id: string): OwnWebhook {
  if (!isUuid(id)) throw serviceError('webhookNotFound', { id });
  return { accountId, id };
}

/** Names a delivery of the account, which may not exist. @throws ServiceError `deliveryNotFound` for a text that is not an id. */
export function ownDelivery({ caller: { accountId } }: OperationContext, id: string): OwnWebhook {
  if (!isUuid(id)) throw serviceError('deliveryNotFound', { id });
  return { accountId, id };
}
