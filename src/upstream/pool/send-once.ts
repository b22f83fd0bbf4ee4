import { serviceError } from '../../base/service-error.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import type { UpstreamRequest } from '../upstream.ts';
import { attempt, mayMoveOn } from './attempt.ts';
import type { PoolNode } from './pool-node.ts';

type Pick = (request: UpstreamRequest, tried: readonly PoolNode[]) => PoolNode | undefined;

/**
 * Sends a call that must not run twice at one node: to one node, and to the next only while nothing was sent or it was refused
 * unread. With `atOnce` above 1 it goes to as many nodes at the same time, each once: the first success is the answer, or else
 * the first reply, or else the first error.
 */
export async function sendOnce(request: UpstreamRequest, pick: Pick, atOnce: number): Promise<UpstreamReply> {
  const tried: PoolNode[] = [];
  const take = (): PoolNode | undefined => {
    const node = pick(request, tried);
    if (node !== undefined) tried.push(node);
    return node;
  };
  const sendToOne = async (): Promise<UpstreamReply> => {
    let failure = serviceError('upstreamUnavailable');
    for (let node = take(); node !== undefined; node = take()) {
      try {
        return await attempt(node, request);
      } catch (error) {
        if (!mayMoveOn(request, error)) throw error;
        failure = error;
      }
    }
    throw failure;
  };
  if (atOnce <= 1) return sendToOne();
  const sent = Array.from({ length: atOnce }, sendToOne);
  try {
    return await Promise.any(sent.map(requireSuccess));
  } catch {
    const [first, ...others] = await Promise.allSettled(sent);
    const outcomes = first === undefined ? others : [first, ...others];
    const answered = outcomes.find((outcome) => outcome.status === 'fulfilled');
    if (answered !== undefined) return answered.value;
    throw first?.status === 'rejected' ? first.reason : serviceError('upstreamUnavailable');
  }
}

/** Rejects for a reply that is an error: another node may have taken the call. */
async function requireSuccess(sent: Promise<UpstreamReply>): Promise<UpstreamReply> {
  const reply = await sent;
  if (reply.kind === 'whole' && reply.isError) throw new Error('the node refused the call');
  return reply;
}
