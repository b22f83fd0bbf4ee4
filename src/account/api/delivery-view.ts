import type { Delivery as ShownDelivery, DeliveryAttempt } from '../../../generated/account/types.ts';
import type { Delivery, DeliveryDetails } from '../webhooks/deliveries.ts';

/** Returns a delivery as the account service shows it, without members that are null. */
export function toDeliveryView(delivery: Delivery): ShownDelivery {
  const { id, webhookId, eventId, type, seq, walletId, state, attempts, nextAt, settledAt } = delivery;
  const { network, slot, position } = delivery;
  return {
    delivery_id: id,
    webhook_id: webhookId,
    event_id: eventId,
    type,
    ...(seq !== null && { seq }),
    ...(network !== null && { network }),
    ...(slot !== null && { slot }),
    ...(position !== null && { position }),
    ...(walletId !== null && { wallet_id: walletId }),
    state,
    attempts,
    ...(state === 'waiting' && nextAt !== null && { next_at: nextAt.toISOString() }),
    created_at: delivery.createdAt.toISOString(),
    ...(settledAt !== null && { settled_at: settledAt.toISOString() }),
  };
}

/** Returns an attempt as the account service shows it. */
export function toAttemptView(attempt: DeliveryDetails['attempts'][number]): DeliveryAttempt {
  const { number, at, durationMs, status, answer, error } = attempt;
  return {
    number,
    at: at.toISOString(),
    duration_ms: durationMs,
    ...(status !== null && { status }),
    ...(answer !== null && { answer }),
    ...(error !== null && { error }),
  };
}
