import { serviceError } from '../../base/service-error.ts';
import { CallSignal } from '../../rpc/call-signal.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import type { UpstreamRequest } from '../upstream.ts';
import { attempt, isPassedOver, mayMoveOn } from './attempt.ts';
import { isUnread } from './judge-reply.ts';
import type { PoolNode } from './pool-node.ts';

/** Time that is left to the other nodes when the first has taken a call. */
const OTHERS_MS = 5_000;

type Pick = (request: UpstreamRequest, tried: readonly PoolNode[]) => PoolNode | undefined;

/**
 * Sends a call that must not run twice at one node: to one node, and to the next only while nothing was sent or it was refused
 * unread. With `atOnce` above 1 it goes to as many nodes at the same time, each once: the first success is the answer, or else
 * the first reply, or else the first error after which it may have run, or the first. A node that has not answered 5 s after the first success is left.
 */
export async function sendOnce(request: UpstreamRequest, pick: Pick, atOnce: number): Promise<UpstreamReply> {
  const tried: PoolNode[] = [];
  const take = (): PoolNode | undefined => {
    const node = pick(request, tried);
    if (node !== undefined) tried.push(node);
    return node;
  };
  const sendToOne = async (asked: UpstreamRequest): Promise<UpstreamReply> => {
    let failure = serviceError('upstreamUnavailable');
    let refusal: UpstreamReply | undefined;
    for (let node = take(); node !== undefined; node = take()) {
      try {
        const reply = await attempt(node, asked);
        if (!isUnread(reply)) return reply;
        refusal = reply;
      } catch (error) {
        if (!mayMoveOn(asked, error)) throw error;
        failure = error;
      }
    }
    if (refusal !== undefined) return refusal;
    throw failure;
  };
  if (atOnce <= 1) return sendToOne(request);
  request.signal.throwIfAborted();
  const late = new CallSignal();
  const forget = request.signal.onAbort((reason) => late.abort(reason));
  const sent = Array.from({ length: atOnce }, () => sendToOne({ ...request, signal: late }));
  const ended = Promise.allSettled(sent);
  try {
    const answer = await Promise.any(sent.map(requireSuccess));
    const leave = () => late.abort(serviceError('upstreamTimeout', { limitMs: OTHERS_MS }));
    const timer = setTimeout(leave, OTHERS_MS).unref();
    void ended.then(() => clearTimeout(timer));
    return answer;
  } catch {
    const outcomes = await ended;
    const answered = outcomes.find((outcome) => outcome.status === 'fulfilled');
    if (answered !== undefined) return answered.value;
    const errors: unknown[] = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    // One that may have taken it decides: after the others it could be sent anew.
    throw errors.find((error) => !isPassedOver(error)) ?? errors[0] ?? serviceError('upstreamUnavailable');
  } finally {
    void ended.then(forget);
  }
}

/** Rejects for a reply that is an error: another node may have taken the call. */
async function requireSuccess(sent: Promise<UpstreamReply>): Promise<UpstreamReply> {
  const reply = await sent;
  if (reply.kind === 'whole' && reply.isError) throw new Error('the node refused the call');
  return reply;
}
