import type { MethodName } from '../../generated/ledger/methods.ts';
import type { CallSignal } from '../rpc/call-signal.ts';
import { serviceError } from '../base/service-error.ts';
import type { Call } from '../rpc/call.ts';
import { withClientId, withPlainId } from '../rpc/splice-id.ts';
import { withPermit, type Semaphore } from '../rpc/semaphore.ts';
import type { UpstreamReply } from '../rpc/upstream-reply.ts';
import type { NodeNeeds, Upstream } from '../upstream/upstream.ts';
import { readWhole } from '../rpc/read-whole.ts';
import type { MemoryLease } from '../rpc/reply-memory.ts';

export type ForwardOptions = {
  readonly method: MethodName;
  readonly call: Call;
  readonly signal: CallSignal;
  readonly hold: MemoryLease;
  readonly semaphore: Semaphore | undefined;
  readonly needs?: NodeNeeds | undefined;
};

/**
 * Sends a checked call to a node as the received bytes and returns the node's bytes. An id that nodes reject is sent as 0 and
 * restored in the reply, which is held in memory for that.
 */
export function forward(upstream: Upstream, options: ForwardOptions): Promise<UpstreamReply> {
  const { method, call, signal, semaphore, needs } = options;
  const body = call.raw;
  if (!call.isNotification && !call.idIsPlain) return forwardWithPlainId(upstream, options);
  const id = call.isNotification ? undefined : call.id;
  return withPermit(semaphore, () => upstream.send({ body, method, id, signal, needs }));
}

async function forwardWithPlainId(
  upstream: Upstream,
  { method, call, signal, hold, semaphore, needs }: ForwardOptions,
): Promise<UpstreamReply> {
  const request = { body: withPlainId(call.raw), method, id: '0', signal, needs };
  const reply = await withPermit(semaphore, () => upstream.send(request));
  const body = withClientId(await readWhole(reply, hold), call.id);
  if (body === undefined) throw serviceError('upstreamBroken');
  return { kind: 'whole', body, isError: reply.kind === 'whole' && reply.isError, isHeld: true };
}
