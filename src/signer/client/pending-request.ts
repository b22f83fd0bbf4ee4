import { type ServiceError, serviceError } from '../../base/service-error.ts';
import { ByteReader } from '../wire/byte-reader.ts';
import { ByteWriter } from '../wire/byte-writer.ts';
import { decodeFailure, SUCCEEDED } from '../wire/failures.ts';
import { encodeFrame, type Frame } from '../wire/frame.ts';
import type { Operation } from '../wire/operations.ts';
import { writeHead } from '../wire/request-head.ts';

/** A request without an answer yet. */
export type PendingRequest = {
  readonly id: number;
  /** The account that it is for; '' for the gateway's own. */
  readonly accountId: string;
  /** The number of keys that it makes or uses, which is what it costs. */
  readonly keys: number;
  readonly deadlineAtMs: number;
  /** Number of sends, each to another signer. */
  sends: number;
  sentAtMs: number;
  readonly encode: (nowMs: number) => Buffer;
  /** Takes the answer. @throws ProtocolError for an answer that does not fit the operation. */
  readonly settle: (answer: Frame) => void;
  /** Ends it without an answer. The caller gets `reason`. */
  readonly fail: (reason: unknown) => void;
};

/** For whom a request is, and what it costs. */
export type RequestShare = Pick<PendingRequest, 'accountId' | 'keys'>;

type PendingOptions = Partial<RequestShare> & { readonly id: number; readonly nowMs: number };

/** Creates a request of an operation, and the promise of its answer. */
export function pendingRequest<Q, A>(
  { code, deadlineMs, request, answer }: Operation<Q, A>,
  asked: Q,
  { id, nowMs, accountId = '', keys = 1 }: PendingOptions,
): { readonly pending: PendingRequest; readonly answered: Promise<A> } {
  const { promise, resolve, reject } = Promise.withResolvers<A>();
  const deadlineAtMs = nowMs + deadlineMs;
  const pending: PendingRequest = {
    ...{ id, accountId, keys, deadlineAtMs },
    sends: 0,
    sentAtMs: 0,
    encode: (atMs) => {
      const writer = new ByteWriter();
      writeHead(writer, {
        isRepeat: pending.sends > 1,
        remainingMs: Math.max(0, Math.round(deadlineAtMs - atMs)),
      });
      request.write(writer, asked);
      return encodeFrame({ id, code, payload: writer.done() });
    },
    settle: (frame) => {
      if (frame.code !== SUCCEEDED) return reject(decodeFailure(frame.code, frame.payload));
      const content = new ByteReader(frame.payload);
      const value = answer.read(content);
      content.end();
      resolve(value);
    },
    fail: reject,
  };
  return { pending, answered: promise };
}

/** Returns `signerUnavailable`, with a reason for the log. */
export const unavailable = (reason: string): ServiceError =>
  serviceError('signerUnavailable', {}, new Error(reason));
