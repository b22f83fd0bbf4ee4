import { Counter, type Registry } from 'prom-client';

/** Metrics of webhooks. */
export type WebhookMetrics = {
  /** Counts attempts by outcome: `delivered`, `waiting` for the next one, `failed` for good. */
  readonly countAttempts: (outcome: 'delivered' | 'waiting' | 'failed', attempts: number) => void;
  /** Counts a webhook that its receiver stopped. */
  readonly countStop: (reason: 'gone' | 'exhausted') => void;
};

/** Adds the metrics of webhooks to a registry. */
export function createWebhookMetrics(registry: Registry): WebhookMetrics {
  const registers = [registry];
  const attempts = new Counter({
    name: 'keyslot_webhook_attempts_total',
    help: 'Attempts to deliver an event to a webhook, by outcome',
    labelNames: ['outcome'] as const,
    registers,
  });
  const stops = new Counter({
    name: 'keyslot_webhook_stops_total',
    help: 'Webhooks that stopped: the receiver answered 410 (gone), or an event was tried for three days (exhausted)',
    labelNames: ['reason'] as const,
    registers,
  });
  return {
    countAttempts: (outcome, count) => attempts.inc({ outcome }, count),
    countStop: (reason) => stops.inc({ reason }),
  };
}
