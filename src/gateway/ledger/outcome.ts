import type { UpstreamReply } from '../../core/rpc/upstream-reply.ts';
import type { NotBatched, Failure } from '../nodes/with-batches.ts';

/**
 * The JSON text of a result that the gateway made itself, or a node's reply with the client's id. `cacheStatus`: the parameters
 * of a Cache-Status (RFC 9211), if the cache was involved.
 */
export type LedgerReply = ({ readonly kind: 'result'; readonly json: string } | UpstreamReply) & {
  readonly cacheStatus?: string;
};

/** The outcome of a call that was served together with others. */
export type Outcome = LedgerReply | Failure | NotBatched;
