import { readWhole } from '../ledger/read-whole.ts';
import type { ReplyHold } from '../ledger/reply-memory.ts';
import { scanItems } from '../scan-json.ts';
import { readReply } from './read-reply.ts';
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
  const byId = new Map(requests.map((request) => [request.id, request]));
  const replies = new Map<UpstreamRequest, UpstreamReply>();
  for (const { start, end } of scanItems(body) ?? []) {
    const item = body.subarray(start, end);
    const reply = readReply(item);
    const request = reply && byId.get(reply.id);
    if (request === undefined || replies.has(request)) return undefined;
    replies.set(request, { kind: 'whole', body: item, isError: reply?.isError === true, isHeld: true });
  }
  return replies.size === requests.length ? replies : undefined;
}
