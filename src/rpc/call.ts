import type { Span } from './scan-json.ts';
import type { ServiceError } from '../base/service-error.ts';

/** One JSON-RPC call as it came. */
export type Call = {
  readonly method: string;
  /** The parsed `params` member; undefined if it is absent. Integers beyond ±(2^53 − 1) are bigint. */
  readonly params: unknown;
  /** Where `params` lie in the bytes of the call; undefined if it is absent. */
  readonly paramsAt: Span | undefined;
  /** The raw JSON token of the client's id, to be echoed byte for byte; `null` for a notification. */
  readonly id: string;
  /** This call's own bytes: the whole body, or its slice of a batch. */
  readonly raw: Buffer;
  /** Whether every ledger node takes this id and echoes it in the same bytes (see `isPlainId`). */
  readonly idIsPlain: boolean;
  /** A call without an id: it runs and is not answered. */
  readonly isNotification: boolean;
};

/** One message of a body: a call that can be served, or what is wrong with it and the id to answer to. */
export type Envelope =
  | { readonly kind: 'call'; readonly call: Call }
  | { readonly kind: 'invalid'; readonly error: ServiceError; readonly id: string };

/** A body: one message, or a batch of them in order. */
export type Message =
  | { readonly kind: 'single'; readonly envelope: Envelope }
  | { readonly kind: 'batch'; readonly envelopes: readonly Envelope[] };

/** An answer to a call: a whole reply envelope with the id already right, in parts, or the JSON text of a result. */
export type RawReply =
  | { readonly kind: 'parts'; readonly parts: readonly Buffer[] }
  | { readonly kind: 'result'; readonly json: string };

/** Serves one call. Throws a ServiceError (anything else becomes `internalError`). */
export type ServeCall = (call: Call) => Promise<RawReply>;

/** `maxBatchCalls`: items of a batch; `batchConcurrency`: how many of them are under way at a node by themselves. */
export type CallLimits = { readonly maxBatchCalls: number; readonly batchConcurrency: number };
