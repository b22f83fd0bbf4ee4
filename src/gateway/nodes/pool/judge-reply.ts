import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import type { Judgement, UpstreamRequest } from '../upstream.ts';

/** Agave: the node is not healthy; a transaction is not read then. */
const NODE_UNHEALTHY = -32005;

const CODE = /"code"\s*:\s*(-?\d{1,6})\b/;
/** Error objects begin with their code or their message, which are short. */
const READ_BYTES = 512;

/**
 * Agave: the block was cleaned up, is not available (yet), was skipped or is not in the long-term storage; no index of the key; no
 * transaction history; a scan was broken off, which costs too much to be repeated there; no transaction of a filter; no slot history.
 * JSON-RPC 2.0, section 5.1: no such method.
 */
const NOT_THERE: ReadonlySet<number> = new Set([
  ...[-32001, -32004, -32007, -32008, -32009, -32010, -32011, -32012, -32014, -32020, -32021],
  -32601,
]);
/** Agave: the node is behind, or does not reach its long-term storage; JSON-RPC 2.0, section 5.1: internal error. */
export const NODE_FAULTS: ReadonlySet<number> = new Set([NODE_UNHEALTHY, -32019, -32603]);
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;

/** Judges a node's reply to a read by its error, if it is one, or else as the request does. */
export function judgeReply(
  reply: UpstreamReply,
  { judge, isFarAhead = false }: Pick<UpstreamRequest, 'judge' | 'isFarAhead'>,
): Judgement {
  if (reply.kind === 'whole' && reply.isError) {
    const code = codeOf(reply.body);
    if (code === MIN_CONTEXT_SLOT_NOT_REACHED) return isFarAhead ? 'good' : 'behind';
    if (NOT_THERE.has(code)) return 'absent';
    if (NODE_FAULTS.has(code)) return 'failed';
  }
  return judge?.(reply) ?? 'good';
}

/** True if a node refused a call unread because it is not healthy: another node may take any such call. */
export function isUnread(reply: UpstreamReply): boolean {
  return reply.kind === 'whole' && reply.isError && codeOf(reply.body) === NODE_UNHEALTHY;
}

/** Returns the code of a node's error object, without parsing it. */
export function codeOf(error: Buffer): number {
  return Number(CODE.exec(error.toString('latin1', 0, READ_BYTES))?.[1]);
}
