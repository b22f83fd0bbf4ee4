import type { WebhookEvent } from './event.ts';

/** An event on its way to a webhook. */
export type Outgoing = {
  readonly event: WebhookEvent;
  /** The record of the audit log that it is; null: its body is stored with the delivery. */
  readonly seq: number | null;
  /** The wallet whose events are in order; null: in no order. */
  readonly walletId: string | null;
  /** Attempts that failed before, as the schedule of retries counts them. */
  readonly failures: number;
};
