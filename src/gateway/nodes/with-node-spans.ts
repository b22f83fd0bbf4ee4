import type { Tracing } from '../../core/tracing.ts';
import type { Upstream } from './upstream.ts';

/** Puts each call to a node in a span: a call that is sent again has several. */
export function withNodeSpans(upstream: Upstream, name: string, tracing: Tracing | undefined): Upstream {
  if (tracing === undefined) return upstream;
  return {
    ...upstream,
    send: (request) => {
      const attributes = { 'keyslot.node': name, 'rpc.method': request.method };
      return tracing.part({ name: 'node call', attributes }, () => upstream.send(request));
    },
  };
}
