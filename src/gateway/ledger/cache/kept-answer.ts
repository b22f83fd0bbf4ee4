import { Readable } from 'node:stream';
import { isJson } from '../../../core/rpc/is-json.ts';
import { scanMembers } from '../../../core/rpc/json.ts';
import type { AnswerSlot } from '../read-your-writes/answer-slot.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import type { MemoryLease } from '../../../core/rpc/reply-memory.ts';

/** A node's reply without its id: the bytes before and after it, and how far its node was, if that matters. */
export type KeptAnswer = { readonly before: Buffer; readonly after: Buffer; readonly at?: AnswerSlot };

/** Answers above this size are sent as a stream, so that a slow client costs no copy; their memory is reserved by the request. */
const WHOLE_BYTES = 64 * 1024;

/**
 * Returns a copy of the reply to keep; undefined unless it is JSON in UTF-8 and a success for the call with this id token, with
 * a result that is not null. Nothing has validated the whole reply before: invalid JSON must reach only the client that called.
 */
export function keepAnswer(body: Buffer, token: string): KeptAnswer | undefined {
  const members = scanMembers(body) ?? [];
  const [id, ...otherIds] = members.filter(({ name }) => name === 'id');
  const [result, ...otherResults] = members.filter(({ name }) => name === 'result' || name === 'error');
  if (id === undefined || result === undefined || otherIds.length + otherResults.length > 0) return undefined;
  if (body.toString('utf8', id.start, id.end) !== token) return undefined;
  if (result.name === 'error' || body.toString('latin1', result.start, result.end) === 'null')
    return undefined;
  if (!isJson(body)) return undefined;
  return { before: copy(body.subarray(0, id.start)), after: copy(body.subarray(id.end)) };
}

/** Returns the reply with a client's raw id token. Undefined if it is large and its request has no room to hold it. */
export function replyFrom(
  { before, after }: KeptAnswer,
  id: string,
  hold: MemoryLease,
): UpstreamReply | undefined {
  const parts = [before, Buffer.from(id), after];
  const sizeBytes = parts.reduce((sum, part) => sum + part.length, 0);
  if (sizeBytes <= WHOLE_BYTES)
    return { kind: 'whole', body: Buffer.concat(parts, sizeBytes), isError: false };
  if (!hold.tryDraw(sizeBytes)) return undefined;
  return { kind: 'stream', body: Readable.from(parts, { objectMode: false }), sizeBytes, isHeld: true };
}

/** Copies the bytes: a slice would keep the connection's whole read buffer alive. */
function copy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
