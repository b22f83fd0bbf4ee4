import type { Span } from './json.ts';
import type { ServiceError } from '../service-error.ts';

/** One JSON-RPC call as it was received. */
export type Call = {
  readonly method: string;
  /** The parsed `params` member; undefined if it is absent. Integers beyond ±(2^53 − 1) are bigint. */
  readonly params: unknown;
  /** The position of `params` in the bytes of the call; undefined if it is absent. */
  readonly paramsAt: Span | undefined;
  /** The raw JSON token of the client's id, echoed byte for byte; `null` for a notification. */
  readonly id: string;
  /** This call's own bytes: the whole body, or its slice of a batch. */
  readonly raw: Buffer;
  /** True if every ledger node accepts this id and echoes the same bytes (see `isPlainId`). */
  readonly idIsPlain: boolean;
  /** True for a call without an id: it runs and is not answered. */
  readonly isNotification: boolean;
};

/** One message of a body: a valid call, or an error and the id to answer it with. */
export type Envelope =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'invalid'; readonly error: ServiceError; readonly id: string };

/** A request body: one message, or a batch of them in order. */
export type Message =
  | { readonly kind: 'single'; readonly envelope: Envelope }
  | { readonly kind: 'batch'; readonly envelopes: readonly Envelope[] };

/** An answer to a call: a whole reply envelope in parts, with the right id, or the JSON text of a result. */
export type RawReply =
  | { readonly kind: 'parts'; readonly parts: readonly Buffer[] }
  | { readonly kind: 'result'; readonly json: string };

/** Serves one call. Throws a ServiceError (anything else becomes `internalError`). */
export type ServeCall = (call: Call) => Promise<RawReply>;

/** `maxBatchCalls`: the most items in a batch; `batchConcurrency`: how many of them may be in flight at a node on their own. */
export type CallLimits = { readonly maxBatchCalls: number; readonly batchConcurrency: number };
