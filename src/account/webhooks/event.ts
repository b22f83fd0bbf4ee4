/** An event as a receiver gets it (Standard Webhooks 1.0). */
export type WebhookEvent = {
  /** The same in every attempt: receivers detect repeated events by it. */
  readonly id: string;
  readonly type: string;
  /** JSON: `type`, `timestamp` and `data`. */
  readonly body: string;
};

/** Returns an event. `at`: when it happened, in RFC 3339. */
export function createEvent(id: string, type: string, at: string, data: unknown): WebhookEvent {
  return { id, type, body: JSON.stringify({ type, timestamp: at, data }) };
}

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
