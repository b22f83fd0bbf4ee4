import { servingGateway } from '../gateways/lab-gateway.ts';
import type { EventReceiver } from '../receiver/event-receiver.ts';
import { type LabWebhook, retryOldest } from '../receiver/lab-webhook.ts';
import type { ClientDeps } from './client-deps.ts';

/** The account service takes 600 requests of an account in a minute, and other clients of the account need most of them. */
const BETWEEN_MS = 5_000;

/** Asks for what waits to be sent again, from time to time while the receiver works, so that webhooks go on between its faults. */
export async function runWebhookClient(
  { gateways, random, over, pause }: ClientDeps,
  receiver: EventReceiver,
  webhook: LabWebhook,
): Promise<void> {
  while (!over.aborted) {
    await pause(BETWEEN_MS);
    const gateway = servingGateway(gateways, random(gateways.length));
    if (gateway !== undefined && receiver.isSound) await retryOldest(gateway, webhook);
  }
}
