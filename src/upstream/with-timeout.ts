import { CallSignal } from '../rpc/call-signal.ts';
import { serviceError } from '../base/service-error.ts';
import type { Upstream } from './upstream.ts';

/** Gives a call `limitMs` until its reply is complete (or has begun to stream), retries included; then `upstreamTimeout`. */
export function withTimeout(upstream: Upstream, limitMs: number): Upstream {
  return {
    ...upstream,
    send: async (request) => {
      request.signal.throwIfAborted();
      const deadline = new CallSignal();
      const timer = setTimeout(() => deadline.abort(serviceError('upstreamTimeout', { limitMs })), limitMs);
      const forget = request.signal.onAbort((reason) => deadline.abort(reason));
      try {
        const reply = await upstream.send({ ...request, signal: deadline });
        if (reply.kind === 'stream') reply.body.once('close', forget);
        else forget();
        return reply;
      } catch (error) {
        forget();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
