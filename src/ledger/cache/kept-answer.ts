import { Readable } from 'node:stream';
import { isJson } from '../../rpc/is-json.ts';
import { scanMembers } from '../../rpc/scan-json.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import type { ReplyHold } from '../../rpc/reply-memory.ts';

/** A node's reply without its id: the bytes before and after it. */
export type KeptAnswer = { readonly before: Buffer; readonly after: Buffer };

/** Answers above this size are handed out as a stream, so that a slow client costs no copy, and are held by its request. */
const WHOLE_BYTES = 64 * 1024;

/**
 * The reply as it may be kept, copied; undefined unless it is JSON in UTF-8 and a success to the call of this id token, with a result that
 * is not null. Nobody has looked at all of it before: what is no JSON is between the node and the one client that called.
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

/** The reply under a client's raw id token. Undefined if it is large and its request has no room to hold it. */
export function replyFrom(
  { before, after }: KeptAnswer,
  id: string,
  hold: ReplyHold,
): UpstreamReply | undefined {
  const parts = [before, Buffer.from(id), after];
  const sizeBytes = parts.reduce((sum, part) => sum + part.length, 0);
  if (sizeBytes <= WHOLE_BYTES)
    return { kind: 'whole', body: Buffer.concat(parts, sizeBytes), isError: false };
  if (!hold.tryDraw(sizeBytes)) return undefined;
  return { kind: 'stream', body: Readable.from(parts, { objectMode: false }), sizeBytes, isHeld: true };
}

/** Bytes of their own: a slice would keep the whole buffer that the connection was read into. */
function copy(bytes: Buffer): Buffer {
  const own = Buffer.allocUnsafeSlow(bytes.length);
  bytes.copy(own);
  return own;
}
