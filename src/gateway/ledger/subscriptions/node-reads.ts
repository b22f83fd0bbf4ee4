import { setTimeout as pause } from 'node:timers/promises';
import type { MethodName } from '../../../../generated/ledger/methods.ts';
import { CallSignal } from '../../../core/rpc/call-signal.ts';
import { parseJson, stringifyJson } from '../../../core/rpc/json.ts';
import { startDeadline } from '../../../core/deadline.ts';
import { ServiceError, serviceError } from '../../../core/service-error.ts';
import type { Pace } from '../../nodes/network/pace.ts';
import type { Upstream } from '../../nodes/upstream.ts';
import { membersOf } from '../../nodes/pubsub-message.ts';
import { readWhole } from '../../../core/rpc/read-whole.ts';
import { createReplyMemory } from '../../../core/rpc/reply-memory.ts';

/** A node that can be asked for as long as its subscriptions are in use. */
export type AskedNode = {
  readonly upstream: Upstream;
  /** False once its WebSocket is lost: later answers are ignored. */
  readonly isCurrent: () => boolean;
  /** The slot time of its network. */
  readonly pace: Pick<Pace, 'slotsIn'>;
  /** Milliseconds in which its answers begin, except those that take long to find; subscriptions are silent meanwhile. */
  readonly limitMs: number;
};

/** An error that a node answered, with its code and text. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Calls that a sound node may take longer for than it may be silent; the timeout of all calls binds them. */
const UNHURRIED: ReadonlySet<MethodName> = new Set(['getBlock', 'getProgramAccounts']);
/** A node that was lost and is back has connections that it no longer knows, which fail one after the other. */
const BROKEN: ReadonlySet<string> = new Set(['upstreamUnavailable', 'upstreamBroken']);
const ATTEMPTS = 4;
const RETRY_MS = 100;
/** The largest answer that is read for a backfill. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Calls a method of a node and returns the raw result. It is called again where the connection failed, and the node is there.
 *
 * @throws NodeError; ServiceError of the upstream, `upstreamTimeout`, `replyTooLarge` above 64 MiB, `upstreamUnavailable` if the
 *   node was lost meanwhile.
 */
export async function readNode(
  node: AskedNode,
  method: MethodName,
  params: readonly unknown[],
): Promise<Buffer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await readOnce(node, method, params);
    } catch (error) {
      const isBroken = error instanceof ServiceError && BROKEN.has(error.code);
      if (!isBroken || attempt === ATTEMPTS || !node.isCurrent()) throw error;
      await pause(RETRY_MS * attempt);
    }
  }
}

async function readOnce(
  { upstream, isCurrent, limitMs }: AskedNode,
  method: MethodName,
  params: readonly unknown[],
): Promise<Buffer> {
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${stringifyJson(params)}}`);
  const signal = new CallSignal();
  const late = (): void => signal.abort(serviceError('upstreamTimeout', { limitMs }));
  const endWait = UNHURRIED.has(method) ? undefined : startDeadline(limitMs, late);
  const reply = await upstream.send({ body, method, id: '1', signal }).finally(() => endWait?.());
  const hold = createReplyMemory(MAX_ANSWER_BYTES, MAX_ANSWER_BYTES).hold();
  const members = membersOf(await readWhole(reply, hold));
  if (!isCurrent()) throw serviceError('upstreamUnavailable');
  const [result, error] = [members.get('result'), members.get('error')];
  if (result !== undefined) return result;
  if (error === undefined) throw serviceError('upstreamBroken');
  const { code, message } = parseJson(error.toString()) as { code: number; message: string };
  throw new NodeError(code, message);
}

/** Calls a method of a node and returns the parsed result. Throws like `readNode`. */
export async function readNodeValue(
  node: AskedNode,
  method: MethodName,
  params: readonly unknown[],
): Promise<unknown> {
  return parseJson((await readNode(node, method, params)).toString());
}

/** The newest slot and root of a node. */
export type NewestSlots = { readonly slot: number; readonly root: number };

/** Reads the node's newest slot and root. */
export async function readNewest(node: AskedNode): Promise<NewestSlots> {
  const [slot, root] = await Promise.all([readSlot(node, 'processed'), readSlot(node, 'finalized')]);
  return { slot, root };
}

/** Returns the node's slot at a commitment. */
export async function readSlot(node: AskedNode, commitment: string): Promise<number> {
  return Number(await readNodeValue(node, 'getSlot', [{ commitment }]));
}
