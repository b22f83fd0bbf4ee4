import { CallSignal } from '../../core/rpc/call-signal.ts';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import type { Upstream } from './upstream.ts';

/** `ready`; `unhealthy`: the node answers that it has fallen behind; otherwise the name of the error. */
export type NodeState = string;

const BODY = Buffer.from('{"jsonrpc":"2.0","id":0,"method":"getHealth"}');
const DEADLINE_MS = 2_000;
const VALID_MS = 1_000;

/** Creates a probe of a network's nodes, which asks them at most once a second however often it is called. */
export function createProbe(upstream: Upstream): () => Promise<NodeState> {
  let latest: Promise<NodeState> | undefined;
  let askedAtMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = performance.now();
    if (latest === undefined || nowMs - askedAtMs > VALID_MS) {
      askedAtMs = nowMs;
      latest = askHealth(upstream);
    }
    return latest;
  };
}

async function askHealth(upstream: Upstream): Promise<NodeState> {
  const signal = new CallSignal();
  const late = serviceError('upstreamTimeout', { limitMs: DEADLINE_MS });
  const timer = setTimeout(() => signal.abort(late), DEADLINE_MS);
  try {
    const reply = await upstream.send({ body: BODY, method: 'getHealth', id: '0', signal });
    if (reply.kind === 'whole') return reply.isError ? 'unhealthy' : 'ready';
    reply.body.on('error', () => undefined).destroy();
    return 'upstreamBroken';
  } catch (error) {
    return toServiceError(error).code;
  } finally {
    clearTimeout(timer);
  }
}
