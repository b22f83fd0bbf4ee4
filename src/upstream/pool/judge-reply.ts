import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import type { Judgement, UpstreamRequest } from '../upstream.ts';

const CODE = /"code"\s*:\s*(-?\d{1,6})\b/;
/** Error objects begin with their code or their message, which are short. */
const READ_BYTES = 512;

/** Agave: the block was cleaned up, is not available (yet), was skipped or is not in the long-term storage; no slot history. */
const NOT_THERE: ReadonlySet<number> = new Set([
  -32001, -32004, -32007, -32008, -32009, -32011, -32014, -32021,
]);
/** Agave: the node is behind; JSON-RPC 2.0, section 5.1: internal error. */
const NODE_FAULTS: ReadonlySet<number> = new Set([-32005, -32603]);
const MIN_CONTEXT_SLOT_NOT_REACHED = -32016;

/** Judges a node's reply to a read by its error, if it is one, or else as the request does. */
export function judgeReply(reply: UpstreamReply, { judge }: Pick<UpstreamRequest, 'judge'>): Judgement {
  if (reply.kind === 'whole' && reply.isError) {
    const code = Number(CODE.exec(reply.body.toString('latin1', 0, READ_BYTES))?.[1]);
    if (code === MIN_CONTEXT_SLOT_NOT_REACHED) return 'behind';
    if (NOT_THERE.has(code)) return 'absent';
    if (NODE_FAULTS.has(code)) return 'failed';
  }
  return judge?.(reply) ?? 'good';
}
