import type { MethodName } from '../../generated/ledger/methods.ts';
import type { CallSignal } from '../rpc/call-signal.ts';
import { serviceError } from '../base/service-error.ts';
import type { Call } from '../rpc/call.ts';
import { withClientId, withPlainId } from '../rpc/splice-id.ts';
import { inTurn, type Turns } from '../rpc/turns.ts';
import type { UpstreamReply } from '../rpc/upstream-reply.ts';
import type { NodeNeeds, Upstream } from '../upstream/upstream.ts';
import { readWhole } from '../rpc/read-whole.ts';
import type { ReplyHold } from '../rpc/reply-memory.ts';

export type ForwardOptions = {
  readonly method: MethodName;
  readonly call: Call;
  readonly signal: CallSignal;
  readonly hold: ReplyHold;
  readonly turns: Turns | undefined;
  readonly needs?: NodeNeeds | undefined;
};

/**
 * Sends a checked call to a node as the received bytes and returns the node's bytes. An id that nodes reject is sent as 0 and
 * restored in the reply, which is held in memory for that.
 */
export function forward(upstream: Upstream, options: ForwardOptions): Promise<UpstreamReply> {
  const { method, call, signal, turns, needs } = options;
  const body = call.raw;
  if (!call.isNotification && !call.idIsPlain) return forwardWithPlainId(upstream, options);
  const id = call.isNotification ? undefined : call.id;
  return inTurn(turns, () => upstream.send({ body, method, id, signal, needs }));
}

async function forwardWithPlainId(
  upstream: Upstream,
  { method, call, signal, hold, turns, needs }: ForwardOptions,
): Promise<UpstreamReply> {
  const request = { body: withPlainId(call.raw), method, id: '0', signal, needs };
  const reply = await inTurn(turns, () => upstream.send(request));
  const body = withClientId(await readWhole(reply, hold), call.id);
  if (body === undefined) throw serviceError('upstreamBroken');
  return { kind: 'whole', body, isError: reply.kind === 'whole' && reply.isError, isHeld: true };
}
