import type { MethodName } from '../../../generated/ledger/methods.ts';
import { CallSignal } from '../../rpc/call-signal.ts';
import { parseJson, stringifyJson } from '../../rpc/json.ts';
import { serviceError } from '../../base/service-error.ts';
import type { Pace } from '../../upstream/nodes/pace.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { membersOf } from '../../upstream/pubsub-message.ts';
import { readWhole } from '../../rpc/read-whole.ts';
import { createReplyMemory } from '../../rpc/reply-memory.ts';

/** A node that is asked for as long as it is the one that tells of subscriptions. */
export type AskedNode = {
  readonly upstream: Upstream;
  /** False once its WebSocket is lost: what it answers then is nobody's business any more. */
  readonly isCurrent: () => boolean;
  /** How long a slot of its network takes. */
  readonly pace: Pick<Pace, 'slotsIn'>;
};

/** The code and the text of an error that a node answered. */
export class NodeError extends Error {
  override readonly name = 'NodeError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The largest answer that is read to make up for what was missed. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Calls a method of a node and gives the raw result.
 *
 * @throws NodeError; ServiceError of the upstream, `replyTooLarge` above 64 MiB, `upstreamUnavailable` if the node was lost meanwhile.
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

/** The same, parsed. */
export async function readNodeValue(
  node: AskedNode,
  method: MethodName,
  params: readonly unknown[],
): Promise<unknown> {
  return parseJson((await readNode(node, method, params)).toString());
}

/** The node's slot at a commitment. */
export async function readSlot(node: AskedNode, commitment: string): Promise<number> {
  return Number(await readNodeValue(node, 'getSlot', [{ commitment }]));
}
