import { CallSignal } from '../rpc/call-signal.ts';
import { readWhole } from '../rpc/read-whole.ts';
import { createReplyMemory } from '../rpc/reply-memory.ts';
import { ServiceError, serviceError } from '../base/service-error.ts';
import { BrokenConnection } from './broken-connection.ts';
import { type BatchedCall, sendTogether, type BatchOwner } from './send-together.ts';
import type { Upstream } from './upstream.ts';

const METHOD = 'getVersion';
/** A version takes a few hundred bytes, and a batch has at most a hundred calls. */
const REPLY_BYTES = 2 ** 20;

/** For each of the two requests. */
const DEADLINE_MS = 5_000;

/**
 * Checks whether a node answers a batch of `size` harmless calls. The answer to a client's batch is no evidence: something in it
 * may be what the node refuses. Never rejects. @returns undefined if it is unknown now, because the node answers a single
 * call no better.
 */
export async function takesBatches(node: Upstream, size: number): Promise<boolean | undefined> {
  const calls = Array.from({ length: size }, (_, id) => callOf(String(id)));
  const asBatch = await isAnswered((owner) => sendTogether(calls, node, owner));
  if (asBatch !== false) return asBatch;
  const alone = await isAnswered(async ({ signal, hold }) => {
    const { raw: body, id } = callOf('0');
    return readWhole(await node.send({ body, method: METHOD, id, signal }), hold);
  });
  return alone === true ? false : undefined;
}

/** True if a node answered correctly and in time; undefined if it could not be asked. */
async function isAnswered(ask: (owner: BatchOwner) => Promise<unknown>): Promise<boolean | undefined> {
  const signal = new CallSignal();
  const hold = createReplyMemory(REPLY_BYTES, REPLY_BYTES).hold();
  const late = serviceError('upstreamTimeout', { limitMs: DEADLINE_MS });
  const timer = setTimeout(() => signal.abort(late), DEADLINE_MS).unref();
  try {
    return (await ask({ signal, hold })) !== undefined;
  } catch (error) {
    return error === late || isRefusal(error) ? false : undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** True if the node answered, but not with a valid reply. */
export function isRefusal(error: unknown): boolean {
  const isBroken = error instanceof ServiceError && error.code === 'upstreamBroken';
  return isBroken && !(error.cause instanceof BrokenConnection);
}

function callOf(id: string): BatchedCall {
  return { id, raw: Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"${METHOD}"}`) };
}
