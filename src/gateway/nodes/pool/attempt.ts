import type { ErrorName } from '../../../../generated/errors.ts';
import { METHODS } from '../../../../generated/ledger/methods.ts';
import { ServiceError } from '../../../core/service-error.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import { BATCH, type SlotFloor, type UpstreamRequest, UnsentCall } from '../upstream.ts';
import { isRefusal, checkedReply } from '../batch-probe.ts';
import type { PoolNode } from './pool-node.ts';

/** A call that weighs more may be slow at any node: it does not count for the node's pace, and is not hedged. */
const LIGHT_COST = 3;

/** After these errors nothing has run. */
const PASSED_OVER: ReadonlySet<ErrorName> = new Set(['upstreamUnavailable', 'upstreamBusy']);
const READ_ELSEWHERE: ReadonlySet<ErrorName> = new Set([...PASSED_OVER, 'upstreamBroken', 'upstreamTimeout']);

/** True for a read: it may be sent to several nodes. */
export function isRead({ method }: Pick<UpstreamRequest, 'method'>): boolean {
  return method === BATCH || METHODS[method].retry === 'safe';
}

/** True for a read that weighs little. */
export function isLight({ method }: Pick<UpstreamRequest, 'method'>): boolean {
  return method !== BATCH && METHODS[method].cost <= LIGHT_COST;
}

/** True if another node may take a call that failed with this error: nothing has run, or it is a read that the node failed. */
export function mayMoveOn(request: UpstreamRequest, error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError) || request.signal.aborted) return false;
  return (isRead(request) ? READ_ELSEWHERE : PASSED_OVER).has(error.code);
}

/**
 * Sends a call to one node, checks that the reply is valid, and records the outcome in the node's health. Reports a node of unknown
 * version, unless it did not take the call.
 */
export async function attempt(node: PoolNode, request: UpstreamRequest): Promise<UpstreamReply> {
  const { health } = node;
  const isUnknown = request.needs !== undefined && node.watch.has(request.needs.since) === undefined;
  const startMs = performance.now();
  try {
    const reply = checkedReply(await node.upstream.send(request), request.id, node.name);
    health.noteAnswer();
    if (request.route !== undefined) request.route.noteSlot = (shown) => noteSlot(node, shown);
    if (isLight(request)) {
      const nowMs = performance.now();
      health.noteLatency(nowMs - startMs, nowMs);
    }
    if (isUnknown) request.needs?.onUnknown();
    return reply;
  } catch (error) {
    const { route } = request;
    const isRefusedBatch = route !== undefined && isRefusal(error);
    if (isRefusedBatch) route.taker?.reprobe(route.size);
    // A node without batches, a client that has left, and a call that was never sent do not count for the node's health.
    const isSent = !(error instanceof ServiceError && error.cause instanceof UnsentCall);
    const isNodes = isSent && isFaultOfNode(request) && !isRefusedBatch && route?.isTurnedAway !== true;
    if (isNodes && health.noteFailure(error, performance.now())) node.onOpen?.();
    if (isUnknown && !isPassedOver(error)) request.needs?.onUnknown();
    throw error;
  }
}

/** Records that a node has reached a slot, as an answer showed. */
export function noteSlot({ health }: PoolNode, { commitment, slot }: SlotFloor): void {
  health.slots.note(commitment, slot, performance.now());
}

/** False if the call was cancelled for any reason but a slow node. */
function isFaultOfNode({ signal: { reason } }: UpstreamRequest): boolean {
  return reason === undefined || (reason instanceof ServiceError && reason.code === 'upstreamTimeout');
}

/** True if a call that failed with this error did not run at all: another node may take any such call. */
export function isPassedOver(error: unknown): error is ServiceError {
  return error instanceof ServiceError && PASSED_OVER.has(error.code);
}
