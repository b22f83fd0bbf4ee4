import { OPERATIONS } from '../../../generated/account/operations.ts';
import { DeliveredEvents } from '../checks/delivered-events.ts';
import type { Findings } from '../checks/findings.ts';
import { askService, isDone } from '../clients/ask-service.ts';
import type { Customer } from '../clients/wallets/wallet-book.ts';
import type { LabGateway } from '../gateways/lab-gateway.ts';
import type { Timeline } from '../report.ts';
import type { EventReceiver } from './event-receiver.ts';

/** The webhook of an account: it gets the records behind a position of the audit log, and what it has got. */
export type LabWebhook = {
  readonly customer: Customer;
  readonly id: string;
  readonly position: number;
  readonly delivered: DeliveredEvents;
};

type MakingDeps = {
  readonly gateway: LabGateway;
  readonly receiver: EventReceiver;
  readonly findings: Findings;
  readonly timeline: Timeline;
};

/** Creates a webhook for every event of an account, in order. @throws Error when it is refused. */
export async function createLabWebhook(
  { gateway, receiver, ...deps }: MakingDeps,
  customer: Customer,
): Promise<LabWebhook> {
  const { account, token } = customer;
  const body = { name: 'lab', url: receiver.urlFor(account), ordered: true };
  const { method, path } = OPERATIONS.createWebhook;
  const answer = await askService(gateway, { method: method as 'POST', path, token, body });
  if (!isDone(answer))
    throw new Error(`a webhook was refused with ${answer.status} ${String(answer.body.code)}`);
  const { webhook_id: id, secret, position } = answer.body;
  const delivered = new DeliveredEvents(deps, account);
  receiver.expect(account, { secret: String(secret), delivered });
  return { customer, id: String(id), position: Number(position), delivered };
}

/**
 * Asks for what waits longest to be sent now, as a customer does whose receiver is back: once it is taken, all the rest is due. Otherwise the
 * next attempt may be minutes away.
 */
export async function retryOldest(
  gateway: LabGateway,
  { customer: { token }, id }: LabWebhook,
): Promise<void> {
  const path = OPERATIONS.listDeliveries.path.replace('{id}', id);
  const listed = await askService(gateway, {
    method: 'GET',
    path: `${path}?state=waiting&limit=1000`,
    token,
  });
  const { deliveries = [] } = listed.body as {
    readonly deliveries?: readonly { readonly delivery_id: string; readonly next_at?: string }[];
  };
  // One without a next attempt waits for an earlier event of its wallet, and must not come before it.
  const oldest = deliveries.findLast(({ next_at: at }) => at !== undefined);
  if (oldest === undefined) return;
  const retry = OPERATIONS.retryDelivery.path.replace('{id}', oldest.delivery_id);
  await askService(gateway, { method: 'POST', path: retry, token });
}
