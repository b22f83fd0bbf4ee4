/** What one subscription has to say, framed once for all who hear it. */
export type Notification = {
  /** The id that subscribers know it by. */
  readonly subscription: number;
  /** The whole WebSocket frame. */
  readonly frame: Buffer;
  /** The slot that it tells of; undefined where it tells of none. */
  readonly slot: number | undefined;
  /** A reader that is too slow is left with the latest of these. */
  readonly isLatestOnly: boolean;
};

/** Who hears notifications: the connection of a client. */
export type Subscriber = {
  /**
   * Takes the place of one subscription in what the connection and its key may have.
   *
   * @throws ServiceError `subscriptionLimitReached`.
   */
  readonly reserve: () => void;
  /** Gives such a place back. */
  readonly release: () => void;
  readonly deliver: (notification: Notification) => void;
  /** Nothing that waits for the connection on behalf of this subscription is to be sent any more. */
  readonly forget: (subscription: number) => void;
};

/** The part of a call that can subscribe: who is to hear, and what is told when hearing begins. */
export type Listener = {
  readonly subscriber: Subscriber;
  /** Called just before the first notification can come: from then on they wait until the reply to the call has been sent. */
  readonly added: () => void;
};
