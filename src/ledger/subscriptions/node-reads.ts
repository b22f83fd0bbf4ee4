import type { MethodName } from '../../../generated/ledger/methods.ts';
import { CallSignal } from '../../rpc/call-signal.ts';
import { parseJson, stringifyJson } from '../../rpc/json.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Pace } from '../../upstream/nodes/pace.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { membersOf } from '../../upstream/pubsub-message.ts';
import { readWhole } from '../../rpc/read-whole.ts';
import { createReplyMemory } from '../../rpc/reply-memory.ts';

/** A node that can be asked for as long as its subscriptions are in use. */
export type AskedNode = {
  readonly upstream: Upstream;
  /** False once its WebSocket is lost: later answers are ignored. */
  readonly isCurrent: () => boolean;
  /** The slot time of its network. */
  readonly pace: Pick<Pace, 'slotsIn'>;
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

/** The largest answer that is read for a backfill. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Calls a method of a node and returns the raw result.
 *
 * @throws NodeError; ServiceError of the upstream, `replyTooLarge` above 64 MiB, `upstreamUnavailable` if the node was lost
 *   meanwhile.
 */
export async function readNode(
  { upstream, isCurrent }: AskedNode,
  method: MethodName,
  params: readonly unknown[],
): Promise<Buffer> {
  const body = Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"${method}","params":${stringifyJson(params)}}`);
  const reply = await upstream.send({ body, method, id: '1', signal: new CallSignal() });
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

/** Returns the node's slot at a commitment. */
export async function readSlot(node: AskedNode, commitment: string): Promise<number> {
  return Number(await readNodeValue(node, 'getSlot', [{ commitment }]));
}
