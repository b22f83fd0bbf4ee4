import type { Context } from '../../rpc/context.ts';
import type { LedgerReply } from '../../ledger/outcome.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { holdWhole, readParts } from '../../rpc/read-whole.ts';
import type { MemoryLease } from '../../rpc/reply-memory.ts';
import type { RawReply, ServeCall } from '../../rpc/call.ts';

/**
 * Reads a reply that waits for others, or for its connection: its whole memory is reserved on the hold. Throws, or rejects,
 * like `readParts`.
 */
export function holdReply(reply: LedgerReply, hold: MemoryLease): RawReply | Promise<RawReply> {
  switch (reply.kind) {
    case 'result':
      hold.reserve(reply.json.length);
      return reply;
    case 'whole':
      return { kind: 'parts', parts: [holdWhole(reply, hold)] };
    case 'stream':
      return readParts(reply, hold).then((parts) => ({ kind: 'parts', parts }));
  }
}

/** Creates a server of single calls that holds their replies. */
export function heldServer(ledger: Ledger, context: Context): ServeCall {
  return async (call) => holdReply(await ledger.serve(call, context), context.hold);
}
