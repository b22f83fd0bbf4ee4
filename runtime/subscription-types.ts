import type { Retry } from './kept-link.ts';
import type { GapReport } from './notification-queue.ts';
import type { SocketClass } from './socket-link.ts';

/** What the connection of a client went through. */
export type ConnectionEvent =
  | { readonly kind: 'open' }
  /** `retryMs`: when it is tried again; undefined: the client has given it up. */
  | {
      readonly kind: 'lost';
      readonly code: number;
      readonly reason: string;
      readonly retryMs: number | undefined;
    }
  /** It is back, and every subscription was asked for again. */
  | { readonly kind: 'restored'; readonly lostMs: number; readonly subscriptions: number };

export type SubscriptionClientOptions = {
  /** Address of the endpoint, path included: ws, wss, http or https. */
  readonly url: string;
  /** Sent as the query parameter `apikey`. */
  readonly apiKey?: string;
  /** Where there is none of the platform's own (before Node 22): that of the package ws, for example. */
  readonly WebSocket?: SocketClass;
  /** Deadline of every call, the opening of the connection included; default 30,000. */
  readonly timeoutMs?: number;
  /** How often the server is pinged; default 5,000. */
  readonly pingMs?: number;
  /** A lost connection is tried again after `firstMs`, then after twice as long, up to `mostMs`; default 250 and 10,000. */
  readonly retry?: Retry;
  /** Most notifications of one subscription that may wait to be taken; default 1,024. */
  readonly maxWaiting?: number;
  /** Ends every subscription of this client. */
  readonly signal?: AbortSignal;
  /** Called between the notifications that the gap lies between, when the reader comes to it. */
  readonly onGap?: (
    gap: GapReport & { readonly method: string; readonly params: readonly unknown[] },
  ) => void;
  readonly onConnection?: (event: ConnectionEvent) => void;
};

/** What a kind of subscription is on the wire. */
export type SubscriptionKind = {
  readonly unsubscribe: string;
  readonly notification: string;
  readonly congested: 'latest' | 'all';
  /** The member whose presence says that the server has ended the subscription. */
  readonly outcome?: readonly string[];
  readonly decode: (result: unknown) => unknown;
};

/** A subscription under way. Its notifications are taken by iterating it; leaving the loop ends it. */
export type OpenSubscription<T> = AsyncIterable<T> & {
  /** Ends it; what waits can still be taken. Answers when the server has been told, and never fails. */
  readonly unsubscribe: () => Promise<void>;
};

export type SubscribeOptions = {
  /** Ends the subscription; its reader gets a CallError. */
  readonly signal?: AbortSignal;
};

export type SubscriptionClient = {
  /** Answers when the server has acknowledged it. Throws CallError. */
  readonly subscribe: (
    method: string,
    params: readonly unknown[],
    options?: SubscribeOptions,
  ) => Promise<OpenSubscription<unknown>>;
  /** Ends all subscriptions and the connection. */
  readonly close: () => void;
};

/** The kinds of subscriptions by their subscribe calls, the notice of a gap, and the close codes after which a new connection is no use. */
export type Wire = {
  readonly kinds: Readonly<Record<string, SubscriptionKind>>;
  readonly gap: { readonly notification: string; readonly decode: (params: unknown) => unknown };
  readonly finalCodes: readonly number[];
};
