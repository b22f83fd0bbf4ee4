import type { MethodName } from '../../../../generated/ledger/methods.ts';
import { CallSignal } from '../../../core/rpc/call-signal.ts';
import { parseJson } from '../../../core/rpc/json.ts';
import { serviceError } from '../../../core/service-error.ts';
import type { Upstream } from '../upstream.ts';

const DEADLINE_MS = 5_000;
/** The cheat code that returns the position of an embedded ledger. It is routed like getSlot. */
const POSITION = 'localnet_getPosition';
/** Distinguishes the gateway's own calls from those of clients. */
const ID = 'keyslot';

/**
 * Calls a method of a node on the gateway's own behalf; the answer must be small.
 *
 * @returns the result; undefined if the node answers with an error, or with something that is not a JSON-RPC reply.
 * @throws ServiceError of the upstream; `upstreamTimeout` after the deadline: five seconds unless another is given.
 */
export async function askNode(
  upstream: Upstream,
  method: MethodName | typeof POSITION,
  params: readonly unknown[] = [],
  deadlineMs = DEADLINE_MS,
): Promise<unknown> {
  const signal = new CallSignal();
  const late = serviceError('upstreamTimeout', { limitMs: deadlineMs });
  const timer = setTimeout(() => signal.abort(late), deadlineMs);
  try {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: ID, method, params }));
    const reply = await upstream.send({
      body,
      method: method === POSITION ? 'getSlot' : method,
      id: JSON.stringify(ID),
      signal,
    });
    if (reply.kind === 'whole') return resultOf(reply.body);
    reply.body.on('error', () => undefined).destroy();
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

function resultOf(body: Buffer): unknown {
  try {
    const reply = parseJson(body.toString());
    return typeof reply === 'object' && reply !== null
      ? (reply as { readonly result?: unknown }).result
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RangeError) return undefined;
    throw error;
  }
}
