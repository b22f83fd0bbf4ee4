import * as codec from './codecs.ts';
import type { Codec } from './codecs.ts';

/** A call of the gateway to the signer. Making it twice has the same outcome as once. */
export type Operation<Q, A> = {
  readonly code: number;
  /** Time that the gateway waits for the answer, restarts of the signer included. */
  readonly deadlineMs: number;
  readonly request: Codec<Q>;
  readonly answer: Codec<A>;
};

const SHORT_MS = 10_000;
const LONG_MS = 30_000;

const operation = <Q, A>(
  code: number,
  deadlineMs: number,
  request: Codec<Q>,
  answer: Codec<A>,
): Operation<Q, A> => ({
  code,
  deadlineMs,
  request,
  answer,
});

const { listOf, nothing, record } = codec;

/** Every operation by name. A code is never reused for another one. */
export const OPERATIONS = {
  /** The first one: the settings as JSON; the backend's description as JSON. */
  open: operation(1, LONG_MS, codec.text, codec.text),
  health: operation(2, SHORT_MS, nothing, nothing),
  create: operation(3, LONG_MS, listOf(codec.owner), listOf(codec.madeKey)),
  createMaster: operation(4, SHORT_MS, codec.owner, codec.madeKey),
  derive: operation(
    5,
    LONG_MS,
    record({ master: codec.sealedKey, children: listOf(codec.childKey) }),
    listOf(codec.madeOrDestroyed),
  ),
  sign: operation(6, SHORT_MS, record({ key: codec.sealedKey, message: codec.message }), codec.signature),
  destroy: operation(7, SHORT_MS, record({ owner: codec.owner, derivedFrom: codec.optionalChild }), nothing),
  signAuditHead: operation(8, SHORT_MS, codec.message, codec.signature),
  auditPublicKey: operation(9, SHORT_MS, nothing, codec.publicKey),
  beginRotation: operation(10, SHORT_MS, nothing, nothing),
  reseal: operation(11, LONG_MS, listOf(codec.sealedKey), listOf(codec.resealed)),
  finishRotation: operation(12, SHORT_MS, nothing, nothing),
  findDestroyed: operation(13, SHORT_MS, listOf(codec.origin), listOf(codec.flag)),
  readTombstones: operation(14, SHORT_MS, codec.count, codec.recordPage),
  addTombstones: operation(15, LONG_MS, codec.fingerprints, nothing),
  adoptTombstones: operation(16, SHORT_MS, nothing, nothing),
} as const;

export type OperationName = keyof typeof OPERATIONS;
export type RequestOf<N extends OperationName> =
  (typeof OPERATIONS)[N] extends Operation<infer Q, infer _> ? Q : never;
export type AnswerOf<N extends OperationName> =
  (typeof OPERATIONS)[N] extends Operation<infer _, infer A> ? A : never;
