import { CallSignal } from '../../core/rpc/call-signal.ts';
import { readWhole } from '../../core/rpc/read-whole.ts';
import { createReplyMemory, type MemoryLease } from '../../core/rpc/reply-memory.ts';
import { ServiceError, serviceError } from '../../core/service-error.ts';
import { type Upstream, type BatchRoute, BATCH, type Reach, BrokenConnection } from './upstream.ts';
import { JoinedItems } from '../../core/rpc/join-replies.ts';
import {
  isText,
  type ObjectSink,
  scanObjects,
  type Span,
  type MemberSink,
  scanObject,
} from '../../core/rpc/json.ts';
import type { UpstreamReply } from '../../core/rpc/upstream-reply.ts';

/**
 * Returns a reply whose body is a JSON-RPC reply to the call: a whole reply must be one object with either `result` or `error`,
 * and the call's id (null is accepted on an error). Of a stream only the first byte has been checked; a batch, which has no id,
 * is checked where it is split. Throws `upstreamBroken`.
 *
 * @param node the name of the node; default: that of the reply.
 */
export function checkedReply(reply: UpstreamReply, id: string | undefined, node = reply.node): UpstreamReply {
  if (reply.kind === 'stream' || id === undefined) return { ...reply, node };
  return { kind: 'whole', body: reply.body, isError: checkReply(reply.body, id), node };
}

/** The envelope of a reply: the position of its id, and whether it is an error. */
type ReadReply = { readonly id: Span; readonly isError: boolean };

/**
 * Checks the bytes of a whole reply to the call with this id, which must be one object with either `result` or `error`, and the
 * call's id (null is accepted on an error). Throws `upstreamBroken`.
 *
 * @returns true for an error.
 */
function checkReply(body: Buffer, id: string): boolean {
  const reader = new ReplyReader();
  const reply = scanObject(body, reader) ? reader.take() : undefined;
  if (reply === undefined)
    throw serviceError('upstreamBroken', {}, new Error('the body is not a JSON-RPC reply'));
  const { isError } = reply;
  const { start, end } = reply.id;
  if (!isText(body, start, end, id) && !answers(body.toString('utf8', start, end), id, isError)) {
    throw serviceError('upstreamBroken', {}, new Error('the reply has the id of another call'));
  }
  return isError;
}

/** Nodes may escape a string id differently from the client, and an error may have no id. */
function answers(token: string, id: string, isError: boolean): boolean {
  if (token === id || (isError && token === 'null')) return true;
  try {
    return token.startsWith('"') && JSON.parse(token) === JSON.parse(id);
  } catch {
    return false;
  }
}

/** Reads replies from the members that a scan reports. */
class ReplyReader implements MemberSink {
  #ids = 0;
  #outcomes = 0;
  #isError = false;
  #idStart = 0;
  #idEnd = 0;

  onMember(name: string, start: number, end: number): void {
    if (name === 'id') {
      this.#ids++;
      this.#idStart = start;
      this.#idEnd = end;
    } else if (name === 'result' || name === 'error') {
      this.#outcomes++;
      this.#isError = name === 'error';
    }
  }

  /** Returns the members reported since the last call as a reply; undefined unless they are one id and either a `result` or an `error`. */
  take(): ReadReply | undefined {
    const isReply = this.#ids === 1 && this.#outcomes === 1;
    this.#ids = 0;
    this.#outcomes = 0;
    return isReply ? { id: { start: this.#idStart, end: this.#idEnd }, isError: this.#isError } : undefined;
  }
}

const METHOD = 'getVersion';
/** A version takes a few hundred bytes, and a batch has at most a hundred calls. */
const REPLY_BYTES = 2 ** 20;

/** For each of the two requests. */
const DEADLINE_MS = 5_000;

/**
 * Checks whether a node answers a batch of `size` harmless calls. A client's batch proves nothing: the node may refuse one of its
 * calls. Never rejects. @returns undefined while it is unknown, because the node does not answer a single call either.
 */
export async function takesBatches(node: Upstream, size: number): Promise<boolean | undefined> {
  const calls = Array.from({ length: size }, (_, id) => callOf(String(id)));
  const asBatch = await isAnswered((owner) => sendBatched(calls, node, owner));
  if (asBatch !== false) return asBatch;
  const alone = await isAnswered(async ({ signal, hold }) => {
    const { raw: body, id } = callOf('0');
    return readWhole(await node.send({ body, method: METHOD, id, signal }), hold);
  });
  return alone === true ? false : undefined;
}

/** True if a node answered correctly and in time; undefined if it could not be asked. */
async function isAnswered(ask: (owner: BatchOwner) => Promise<unknown>): Promise<boolean | undefined> {
  const signal = new CallSignal();
  const hold = createReplyMemory(REPLY_BYTES, REPLY_BYTES).hold();
  const late = serviceError('upstreamTimeout', { limitMs: DEADLINE_MS });
  const timer = setTimeout(() => signal.abort(late), DEADLINE_MS).unref();
  try {
    return (await ask({ signal, hold })) !== undefined;
  } catch (error) {
    return error === late || isRefusal(error) ? false : undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** True if the node answered, but not with a valid reply. */
export function isRefusal(error: unknown): boolean {
  const isBroken = error instanceof ServiceError && error.code === 'upstreamBroken';
  return isBroken && !(error.cause instanceof BrokenConnection);
}

function callOf(id: string): BatchedCall {
  return { id, raw: Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${METHOD}"}`) };
}

/** The request that calls belong to: its signal cancels them, its hold pays for the memory of their replies. */
export type BatchOwner = {
  readonly signal: CallSignal;
  readonly hold: MemoryLease;
  /** Absent: the gateway itself. */
  readonly accountId?: string;
  /** The slots that the node must have reached for every call. */
  readonly reach?: Reach | undefined;
  /** Records where they went; absent: not recorded. */
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
export async function sendBatched(
  calls: readonly BatchedCall[],
  upstream: Upstream,
  { signal, hold, accountId, reach, route }: BatchOwner,
): Promise<readonly UpstreamReply[] | undefined> {
  const items = new JoinedItems();
  for (const { raw } of calls) items.add(raw);
  const body = Buffer.concat(items.close(CLOSE));
  const reply = await upstream.send({ body, method: BATCH, id: undefined, signal, accountId, reach, route });
  return splitReplies(calls, await readWhole(reply, hold), reply.node);
}

function splitReplies(
  calls: readonly BatchedCall[],
  body: Buffer,
  node: string | undefined,
): readonly UpstreamReply[] | undefined {
  const replies = new BatchReplies(calls, body, node);
  return scanObjects(body, replies) ? replies.ofAll() : undefined;
}

/** Sorts the replies of a batch in the order of its calls. */
class BatchReplies extends ReplyReader implements ObjectSink {
  readonly #calls: readonly BatchedCall[];
  readonly #body: Buffer;
  readonly #node: string | undefined;
  readonly #replies: (UpstreamReply | undefined)[];
  #found = 0;
  #isSound = true;
  #places: ReadonlyMap<string, number> | undefined;

  constructor(calls: readonly BatchedCall[], body: Buffer, node: string | undefined) {
    super();
    this.#node = node;
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
    this.#replies[place] = { kind: 'whole', body, isError: reply.isError, isHeld: true, node: this.#node };
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
