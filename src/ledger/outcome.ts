import type { UpstreamReply } from '../rpc/upstream-reply.ts';
import type { Alone, Failure } from '../upstream/with-batches.ts';

/**
 * The JSON text of a result that the gateway made itself, or a node's reply with the client's id in it. `cacheStatus`: what
 * the cache did (RFC 9211, the parameters of a Cache-Status), where it had a say.
 */
export type LedgerReply = ({ readonly kind: 'result'; readonly json: string } | UpstreamReply) & {
  readonly cacheStatus?: string;
};

/** What a call that was served together with others came to. */
export type Outcome = LedgerReply | Failure | Alone;
