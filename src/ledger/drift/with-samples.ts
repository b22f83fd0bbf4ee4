import type { Upstream } from '../../upstream/upstream.ts';
import type { NodeSamples } from './node-samples.ts';

/** Has some answers of a node checked. The other answers pass untouched. */
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
