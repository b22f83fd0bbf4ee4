import { Webhook } from 'standardwebhooks';
import type { WebhookEvent } from './event.ts';

/** The headers of one attempt (Standard Webhooks 1.0). */
export type SignedHeaders = {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
};

/**
 * Signs an event for one attempt.
 *
 * @param secrets each signs: while a secret is replaced, receivers with either accept the event.
 * @param atMs the instant of the attempt.
 */
export function signEvent(
  { id, body }: WebhookEvent,
  secrets: readonly Uint8Array[],
  atMs: number,
): SignedHeaders {
  const at = new Date(atMs);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(atMs / 1_000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret, { format: 'raw' }).sign(id, at, body))
      .join(' '),
  };
}
