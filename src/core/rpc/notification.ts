import type { Commitment } from './commitment.ts';

/** A notification of one subscription, framed once for all its subscribers. */
export type Notification = {
  /** The subscription id that clients know. */
  readonly subscription: number;
  /** The whole WebSocket frame. */
  readonly frame: Buffer;
  /** The slot of its content; undefined without a slot. */
  readonly slot: number | undefined;
  /** The commitment of that slot; undefined without a slot. */
  readonly commitment: Commitment | undefined;
  /** True if a slow reader needs only the latest of these. */
  readonly isLatestOnly: boolean;
  /** The subscribe method under which it is counted; undefined for a gap notice, which is not counted. */
  readonly countedAs: string | undefined;
};

/** A receiver of notifications: a client's connection. */
export type Subscriber = {
  readonly accountId: string;
  /**
   * Counts one more subscription against the limits of the connection and its key.
   *
   * @throws ServiceError `subscriptionLimitReached`.
   */
  readonly reserve: () => void;
  /** Frees one such reservation. */
  readonly release: () => void;
  readonly deliver: (notification: Notification) => void;
  /** Drops notifications of this subscription that are still queued for the connection. */
  readonly forget: (subscription: number) => void;
};

/** The subscriber of a call that can subscribe, and a callback for when its notifications begin. */
export type Listener = {
  readonly subscriber: Subscriber;
  /** Called just before the first notification can come: from then on notifications wait until the reply to the call has been sent. */
  readonly added: () => void;
};
