import type { Retry } from './kept-link.ts';
import type { GapReport } from './notification-queue.ts';
import type { SocketClass } from './socket-link.ts';

/** A change of a client's connection. */
export type ConnectionEvent =
  | { readonly kind: 'open' }
  /** `retryMs`: time until it is tried again; undefined: the client has given up. */
  | {
      readonly kind: 'lost';
      readonly code: number;
      readonly reason: string;
      readonly retryMs: number | undefined;
    }
  /** It is back, and every subscription was requested again. */
  | { readonly kind: 'restored'; readonly lostMs: number; readonly subscriptions: number };

export type SubscriptionClientOptions = {
  /** Address of the endpoint, path included: ws, wss, http or https. */
  readonly url: string;
  /** Sent as the query parameter `apikey`. */
  readonly apiKey?: string;
  /** A replacement if the platform has no WebSocket (before Node 22), such as that of the package ws. */
  readonly WebSocket?: SocketClass;
  /** Deadline of every call, the opening of the connection included; default 30,000. */
  readonly timeoutMs?: number;
  /** Interval of pings to the server; default 5,000. */
  readonly pingMs?: number;
  /** A lost connection is retried after `firstMs`, then after twice as long, up to `mostMs`; default 250 and 10,000. */
  readonly retry?: Retry;
  /** Maximum number of waiting notifications of one subscription; default 1,024. */
  readonly maxWaiting?: number;
  /** Ends every subscription of this client. */
  readonly signal?: AbortSignal;
  /** Called when the reader gets to the gap between two notifications. */
  readonly onGap?: (
    gap: GapReport & { readonly method: string; readonly params: readonly unknown[] },
  ) => void;
  readonly onConnection?: (event: ConnectionEvent) => void;
};

/** The wire form of a kind of subscription. */
export type SubscriptionKind = {
  readonly unsubscribe: string;
  readonly notification: string;
  readonly congested: 'latest' | 'all';
  /** The member whose presence marks that the server has ended the subscription. */
  readonly outcome?: readonly string[];
  readonly decode: (result: unknown) => unknown;
};

/** An open subscription. Iterate it for its notifications; leaving the loop ends it. */
export type OpenSubscription<T> = AsyncIterable<T> & {
  /** Ends it; waiting notifications can still be read. Resolves when the server has been told, and never rejects. */
  readonly unsubscribe: () => Promise<void>;
};

export type SubscribeOptions = {
  /** Ends the subscription; its reader gets a CallError. */
  readonly signal?: AbortSignal;
};

export type SubscriptionClient = {
  /** Resolves when the server has acknowledged it. Throws CallError. */
  readonly subscribe: (
    method: string,
    params: readonly unknown[],
    options?: SubscribeOptions,
  ) => Promise<OpenSubscription<unknown>>;
  /** Ends all subscriptions and the connection. */
  readonly close: () => void;
};

/** The kinds of subscriptions by their subscribe calls, the notice of a gap, and the close codes after which reconnecting is useless. */
export type Wire = {
  readonly kinds: Readonly<Record<string, SubscriptionKind>>;
  readonly gap: { readonly notification: string; readonly decode: (params: unknown) => unknown };
  readonly finalCodes: readonly number[];
};
