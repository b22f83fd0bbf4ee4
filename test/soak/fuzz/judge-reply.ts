import { ERRORS } from '../../../generated/errors.ts';

/** Every code of the catalogue but that of an internal error. */
const CODES: ReadonlySet<unknown> = new Set(
  Object.values(ERRORS).flatMap((entry) =>
    'jsonrpc' in entry && entry !== ERRORS.internalError ? [entry.jsonrpc.code] : [],
  ),
);
const INTERNAL = ERRORS.internalError.jsonrpc.message;
const SHOWN = 300;

/** The fault in the text of a JSON-RPC answer, single or of a batch; undefined where the protocol allows it. */
export function faultOfReply(text: string): string | undefined {
  try {
    const replies = [JSON.parse(text) as unknown].flat();
    if (replies.length > 0 && replies.every(isReply)) return undefined;
  } catch {
    // It is no JSON.
  }
  return `no answer that JSON-RPC allows: ${text.slice(0, SHOWN)}`;
}

function isReply(reply: unknown): boolean {
  if (typeof reply !== 'object' || reply === null || !('jsonrpc' in reply) || reply.jsonrpc !== '2.0')
    return false;
  if ('method' in reply) return 'params' in reply && !('id' in reply);
  if (!('id' in reply)) return false;
  return 'error' in reply ? isAllowed(reply.error) : 'result' in reply;
}

function isAllowed(error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('code' in error) || !('message' in error))
    return false;
  return CODES.has(error.code) && error.message !== INTERNAL;
}
