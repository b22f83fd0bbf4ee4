import type { AccountHandler } from '../../../../generated/account/handlers.ts';
import { readPage } from '../../../core/read-page.ts';
import { readDeliveries } from '../../webhooks/deliveries.ts';
import { readWebhook } from '../../webhooks/webhooks.ts';
import type { AccountContext } from '../account-context.ts';
import { ownWebhook } from '../own-webhook.ts';
import { toDeliveryView } from '../delivery-view.ts';
import { isUuid } from '../uuid.ts';

/** `GET /account/v1/webhooks/{id}/deliveries`: a page of the deliveries. */
export const listDeliveries: AccountHandler<AccountContext, 'listDeliveries'> = async (
  context,
  { id, query },
) => {
  const { store } = context;
  const webhook = await readWebhook(store.db, ownWebhook(context, id));
  const { rows, nextCursor } = await readPage(query, {
    isId: isUuid,
    read: (page) => readDeliveries(store, webhook.id, { ...page, state: query.state }),
  });
  return { kind: 'json', body: { deliveries: rows.map(toDeliveryView), ...nextCursor } };
};
