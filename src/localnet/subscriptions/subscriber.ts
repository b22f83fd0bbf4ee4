/** A connection with subscriptions. */
export type Subscriber = {
  /** Takes a notification of one of its subscriptions. Never throws. */
  readonly notify: (id: number, notification: Buffer) => void;
  /** Called when a notification could not be made; the subscription is gone. */
  readonly fail: (error: unknown) => void;
};
