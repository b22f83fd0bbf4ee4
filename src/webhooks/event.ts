/** An event as a receiver gets it (Standard Webhooks 1.0). */
export type WebhookEvent = {
  /** The same in every attempt: receivers know by it what they have. */
  readonly id: string;
  readonly type: string;
  /** JSON: `type`, `timestamp` and `data`. */
  readonly body: string;
};

/** Returns an event. `at`: when it happened, in RFC 3339. */
export function createEvent(id: string, type: string, at: string, data: unknown): WebhookEvent {
  return { id, type, body: JSON.stringify({ type, timestamp: at, data }) };
}
