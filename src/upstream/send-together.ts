import { readWhole } from '../ledger/read-whole.ts';
import type { ReplyHold } from '../ledger/reply-memory.ts';
import { isText, scanObjects, type Span } from '../scan-json.ts';
import { readReplyIn } from './read-reply.ts';
import type { Upstream, UpstreamReply, UpstreamRequest } from './upstream.ts';

const [OPEN, SEPARATOR, CLOSE] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];

/**
 * Sends reads that have different ids to a node as one JSON-RPC batch. What is read is drawn on the hold.
 *
 * @returns the reply to each; undefined if the node answered anything but one reply to each of them.
 * @throws like `upstream.send`; ServiceError `replyTooLarge`, `replyMemoryFull`.
 */
export async function sendTogether(
  requests: readonly UpstreamRequest[],
  upstream: Upstream,
  hold: ReplyHold,
): Promise<ReadonlyMap<UpstreamRequest, UpstreamReply> | undefined> {
  const [first] = requests;
  if (first === undefined) return new Map();
  const { method, signal } = first;
  const body = joinCalls(requests);
  return takeApart(
    requests,
    await readWhole(await upstream.send({ body, method, id: undefined, signal, isBatch: true }), hold),
  );
}

function joinCalls(requests: readonly UpstreamRequest[]): Buffer {
  const parts = requests.flatMap(({ body }) => [SEPARATOR, body]);
  return Buffer.concat([OPEN, ...parts.slice(1), CLOSE]);
}

function takeApart(
  requests: readonly UpstreamRequest[],
  body: Buffer,
): ReadonlyMap<UpstreamRequest, UpstreamReply> | undefined {
  const replies = new Map<UpstreamRequest, UpstreamReply>();
  let byId: ReadonlyMap<string | undefined, UpstreamRequest> | undefined;
  const find = (id: Span, next: UpstreamRequest | undefined): UpstreamRequest | undefined => {
    // Most nodes answer in the order of the calls: then no id is made a string.
    if (next?.id !== undefined && isText(body, id.start, id.end, next.id)) return next;
    byId ??= new Map(requests.map((request) => [request.id, request]));
    return byId.get(body.toString('utf8', id.start, id.end));
  };
  for (const [index, { start, end, members }] of (scanObjects(body) ?? []).entries()) {
    const reply = readReplyIn(members);
    const request = reply && find(reply.id, requests[index]);
    if (reply === undefined || request === undefined || replies.has(request)) return undefined;
    const { isError } = reply;
    replies.set(request, { kind: 'whole', body: body.subarray(start, end), isError, isHeld: true });
  }
  return replies.size === requests.length ? replies : undefined;
}
