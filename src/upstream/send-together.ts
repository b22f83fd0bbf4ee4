import type { CallSignal } from '../rpc/call-signal.ts';
import type { MemoryLease } from '../rpc/reply-memory.ts';
import { JoinedItems } from '../rpc/join-items.ts';
import { readWhole } from '../rpc/read-whole.ts';
import { isText, type ObjectSink, scanObjects, type Span } from '../rpc/scan-json.ts';
import { ReplyReader } from './read-reply.ts';
import { type BatchRoute, BATCH, type Reach, type Upstream } from './upstream.ts';
import type { UpstreamReply } from '../rpc/upstream-reply.ts';

/** The request that calls belong to: its signal cancels them, its hold pays for the memory of their replies. */
export type BatchOwner = {
  readonly signal: CallSignal;
  readonly hold: MemoryLease;
  /** Absent: the gateway itself. */
  readonly accountId?: string;
  /** What the node must have reached for every call. */
  readonly reach?: Reach | undefined;
  /** Records where they went; absent: nobody wants to know. */
  readonly route?: BatchRoute | undefined;
};

/** A call as its own bytes, with the raw id token in them. */
export type BatchedCall = { readonly raw: Buffer; readonly id: string };

const CLOSE = Buffer.from(']');

/**
 * Sends reads with distinct ids to a node as one JSON-RPC batch. The replies' memory is reserved on the hold.
 *
 * @returns the reply to each, in order; undefined if the node answered anything but one reply to each of them.
 * @throws like `upstream.send`; ServiceError `replyTooLarge`, `replyMemoryFull`.
 */
export async function sendTogether(
  calls: readonly BatchedCall[],
  upstream: Upstream,
  { signal, hold, accountId, reach, route }: BatchOwner,
): Promise<readonly UpstreamReply[] | undefined> {
  const items = new JoinedItems();
  for (const { raw } of calls) items.add(raw);
  const body = Buffer.concat(items.close(CLOSE));
  const reply = await upstream.send({ body, method: BATCH, id: undefined, signal, accountId, reach, route });
  return splitReplies(calls, await readWhole(reply, hold));
}

function splitReplies(calls: readonly BatchedCall[], body: Buffer): readonly UpstreamReply[] | undefined {
  const replies = new BatchReplies(calls, body);
  return scanObjects(body, replies) ? replies.ofAll() : undefined;
}

/** Sorts the replies of a batch in the order of its calls. */
class BatchReplies extends ReplyReader implements ObjectSink {
  readonly #calls: readonly BatchedCall[];
  readonly #body: Buffer;
  readonly #replies: (UpstreamReply | undefined)[];
  #found = 0;
  #isSound = true;
  #places: ReadonlyMap<string, number> | undefined;

  constructor(calls: readonly BatchedCall[], body: Buffer) {
    super();
    this.#calls = calls;
    this.#body = body;
    this.#replies = new Array(calls.length).fill(undefined);
  }

  onObject(start: number, end: number): void {
    const reply = this.take();
    const place = reply && this.#placeOf(reply.id);
    if (reply === undefined || place === undefined || this.#replies[place] !== undefined) {
      this.#isSound = false;
      return;
    }
    const body = this.#body.subarray(start, end);
    this.#replies[place] = { kind: 'whole', body, isError: reply.isError, isHeld: true };
    this.#found++;
  }

  /** Returns the reply to each call; undefined unless there was exactly one for each. */
  ofAll(): readonly UpstreamReply[] | undefined {
    if (!this.#isSound || this.#found < this.#calls.length) return undefined;
    return this.#replies.filter((reply) => reply !== undefined);
  }

  /**
   * Returns the index of the call that a reply answers. Most nodes answer in the order of the calls: then no id is turned into
   * a string.
   */
  #placeOf({ start, end }: Span): number | undefined {
    const next = this.#calls[this.#found];
    if (next !== undefined && isText(this.#body, start, end, next.id)) return this.#found;
    this.#places ??= new Map(this.#calls.map(({ id }, place) => [id, place]));
    return this.#places.get(this.#body.toString('utf8', start, end));
  }
}
