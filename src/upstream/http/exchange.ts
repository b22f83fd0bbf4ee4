import type { ServiceError } from '../../base/service-error.ts';
import type { ResponseSink } from './response-reader.ts';

/** What an exchange may do with the connection that it is on. */
export type Flow = {
  /** Within `onData`: reads no further until `resume`, and until then leaves the bytes as they are; the deadline of the body stands still meanwhile. */
  readonly hold: () => void;
  readonly resume: () => void;
  /** Gives the exchange up, and its connection with it: HTTP/1.1 has no other way to stop a response. */
  readonly cancel: () => void;
};

/** A request and who hears of its response: `onStart`, then what a `ResponseSink` hears, and at any time `onError` as the last. */
export type Exchange = ResponseSink & {
  readonly body: Buffer;
  /** The exchange has a connection. It is sent next, unless it cancels. */
  readonly onStart: (flow: Flow) => void;
  /** `upstreamUnavailable` (nothing was sent), `upstreamTimeout` or `upstreamBroken`; never after `onEnd` or `cancel`. */
  readonly onError: (error: ServiceError) => void;
};
