import { serviceError } from '../base/service-error.ts';
import { eq } from '../store/drizzle.ts';
import type { Store } from '../store/open-store.ts';
import { webhooks } from '../store/webhook-tables.ts';

/** Returns the account of a webhook. @throws ServiceError `webhookNotFound`. */
export async function findOwner({ db }: Pick<Store, 'db'>, id: string): Promise<string> {
  const [found] = await db
    .select({ accountId: webhooks.accountId })
    .from(webhooks)
    .where(eq(webhooks.id, id));
  if (found === undefined) throw serviceError('webhookNotFound', { id });
  return found.accountId;
}
