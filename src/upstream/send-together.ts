import { JoinedItems } from '../join-items.ts';
import { readWhole } from '../ledger/read-whole.ts';
import { isText, scanObjects, type Span } from '../scan-json.ts';
import { readReplyIn } from './read-reply.ts';
import type { BatchOwner } from './with-batches.ts';
import { BATCH, type Upstream, type UpstreamReply } from './upstream.ts';

/** A call as its own bytes, with the raw id token in them. */
export type BatchedCall = { readonly raw: Buffer; readonly id: string };

const CLOSE = Buffer.from(']');

/**
 * Sends reads that have different ids to a node as one JSON-RPC batch. What is read is drawn on the hold.
 *
 * @returns the reply to each, in order; undefined if the node answered anything but one reply to each of them.
 * @throws like `upstream.send`; ServiceError `replyTooLarge`, `replyMemoryFull`.
 */
export async function sendTogether(
  calls: readonly BatchedCall[],
  upstream: Upstream,
  { signal, hold }: BatchOwner,
): Promise<readonly UpstreamReply[] | undefined> {
  const items = new JoinedItems();
  for (const { raw } of calls) items.add(raw);
  const body = Buffer.concat(items.close(CLOSE));
  const reply = await upstream.send({ body, method: BATCH, id: undefined, signal });
  return takeApart(calls, await readWhole(reply, hold));
}

function takeApart(calls: readonly BatchedCall[], body: Buffer): readonly UpstreamReply[] | undefined {
  const objects = scanObjects(body);
  if (objects?.length !== calls.length) return undefined;
  const replies: (UpstreamReply | undefined)[] = new Array(calls.length).fill(undefined);
  const placeOf = placeFinder(calls, body);
  for (const [index, { start, end, members }] of objects.entries()) {
    const reply = readReplyIn(members);
    const place = reply && placeOf(reply.id, index);
    if (reply === undefined || place === undefined || replies[place] !== undefined) return undefined;
    const { isError } = reply;
    replies[place] = { kind: 'whole', body: body.subarray(start, end), isError, isHeld: true };
  }
  return replies.filter((reply) => reply !== undefined);
}

/** Finds the place of a call by the id of its reply. Most nodes answer in the order of the calls: then no id is made a string. */
function placeFinder(calls: readonly BatchedCall[], body: Buffer) {
  let places: ReadonlyMap<string, number> | undefined;
  return ({ start, end }: Span, expected: number): number | undefined => {
    const call = calls[expected];
    if (call !== undefined && isText(body, start, end, call.id)) return expected;
    places ??= new Map(calls.map(({ id }, place) => [id, place]));
    return places.get(body.toString('utf8', start, end));
  };
}
