import type { Upstream } from '../../upstream/upstream.ts';
import type { NodeSamples } from './node-samples.ts';

/** A node some of whose answers are looked at. An answer whose turn it is not goes by as if nobody looked. */
export function withSamples(node: Upstream, samples: NodeSamples): Upstream {
  return {
    ...node,
    send: (request) => {
      const replies = node.send(request);
      if (!samples.isDue(request.method)) return replies;
      return replies.then((reply) => {
        samples.takeReply(request, reply);
        return reply;
      });
    },
  };
}
