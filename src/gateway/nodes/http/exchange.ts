import type { ServiceError } from '../../../core/service-error.ts';
import type { ResponseSink } from './response-reader.ts';

/** Controls the connection that an exchange is on. */
export type Flow = {
  /**
   * Within `onData`: stops reading until `resume`, and leaves the bytes unchanged until then; the body's deadline is paused
   * meanwhile.
   */
  readonly hold: () => void;
  readonly resume: () => void;
  /** Cancels the exchange and closes its connection: HTTP/1.1 has no other way to stop a response. */
  readonly cancel: () => void;
};

/**
 * A request and the handlers of its response: `onStart`, then the calls of a `ResponseSink`; `onError` may come at any time, as
 * the last call.
 */
export type Exchange = ResponseSink & {
  readonly body: Buffer;
  /** The exchange has a connection. It is sent next, unless it cancels. */
  readonly onStart: (flow: Flow) => void;
  /** `upstreamUnavailable` (nothing was sent), `upstreamTimeout` or `upstreamBroken`; never after `onEnd` or `cancel`. */
  readonly onError: (error: ServiceError) => void;
};

/** The connections to one node, which carry one exchange each at a time. */
export type ExchangePool = {
  /** Runs an exchange, now or when a connection is free. */
  readonly dispatch: (exchange: Exchange) => void;
  /** Removes an exchange that has not started; one that has is left alone. */
  readonly forget: (exchange: Exchange) => void;
  /** Closes every connection. Exchanges in flight and waiting ones fail. */
  readonly close: () => void;
};
