import type { MethodName } from '../../../generated/ledger/methods.ts';
import { serviceError } from '../../base/service-error.ts';
import { COMMITMENTS } from '../../rpc/commitment.ts';
import { askNode } from '../nodes/ask-node.ts';
import { isCount } from '../nodes/pace.ts';
import type { NodeHealth } from './node-health.ts';
import type { PoolNode } from './pool-node.ts';

/** The last probes of a node. A probe asks for its slots, and rarely for more. */
export type ProbeState = {
  /** When it was asked for more. */
  factsAtMs: number;
  /** When the latest probe that was answered began. */
  answeredFromMs: number;
};

const DEADLINE_MS = 2_000;
/** Its genesis hash and its history are read this often, and after each loss; the hash with each probe until it is said. */
const FACTS_MS = 60_000;
/** A genesis hash is base-58 of 32 bytes. */
const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Asks a node for its slots, and if that is due for its genesis hash and its oldest block, and notes what it answers. Never
 * rejects: a failure is noted, too, unless a probe that began later was answered, which says more.
 */
export async function probeNode(node: PoolNode, state: ProbeState): Promise<void> {
  const { health } = node;
  const startMs = performance.now();
  try {
    const areFactsDue = health.genesis.kind === 'unasked' || startMs - state.factsAtMs >= FACTS_MS;
    if (areFactsDue) {
      void readHistory(node);
      void readShreds(node);
    }
    // One that failed to say it is not asked by clients where others say theirs: it may have failed for a moment.
    if (areFactsDue || health.genesis.kind === 'unstated')
      noteGenesis(health, await ask(node, 'getGenesisHash'));
    if (areFactsDue) state.factsAtMs = startMs;
    await readSlots(node, state);
  } catch (error) {
    if (startMs < state.answeredFromMs) return;
    health.probeMs = performance.now() - startMs;
    if (health.noteFailure(error, performance.now())) node.onOpen?.();
  }
}

function ask({ watch }: PoolNode, method: MethodName, params: readonly unknown[] = []): Promise<unknown> {
  return askNode(watch.upstream, method, params, DEADLINE_MS);
}

/**
 * Notes the oldest block that a node says it has. One that answers neither question, or late, is as sound as before; one that has said how far
 * its long-term storage goes back, and is slow to say so again, still has it.
 */
async function readHistory(node: PoolNode): Promise<void> {
  const answers = await Promise.allSettled([
    ask(node, 'getFirstAvailableBlock'),
    ask(node, 'minimumLedgerSlot'),
  ]);
  const [{ status: ofStorage }, { status: ofLedger }] = answers;
  if (ofStorage === 'rejected' && (ofLedger === 'rejected' || node.health.firstSlot !== undefined)) return;
  const slots = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : undefined));
  node.health.firstSlot = slots.find(isCount);
}

/** Notes how far the shreds of a node go. One that does not say it is as sound as before. */
async function readShreds(node: PoolNode): Promise<void> {
  const newest = await ask(node, 'getMaxShredInsertSlot').catch(() => undefined);
  node.health.shredSlot = isCount(newest) ? newest : undefined;
}

/** Notes what a node says of its genesis hash. One that has said it, and answers with an error now, still has it. */
export function noteGenesis(health: NodeHealth, hash: unknown): void {
  const before = health.genesis;
  if (typeof hash !== 'string' || !HASH.test(hash)) {
    if (before.kind !== 'hash') health.genesis = { kind: 'unstated' };
    return;
  }
  if (before.kind === 'hash' && before.hash !== hash) health.slots.clear();
  health.genesis = { kind: 'hash', hash };
  health.lastHash = hash;
}

/** @throws ServiceError `upstreamBroken` if the node says no slot: it answers nothing else either. */
async function readSlots(node: PoolNode, state: ProbeState): Promise<void> {
  const { health } = node;
  const startMs = performance.now();
  const slots = await Promise.all(COMMITMENTS.map((commitment) => ask(node, 'getSlot', [{ commitment }])));
  if (!slots.some(isCount)) throw serviceError('upstreamBroken', {}, new Error('the node says no slot'));
  if (startMs < state.answeredFromMs) return;
  state.answeredFromMs = startMs;
  const nowMs = performance.now();
  for (const [index, commitment] of COMMITMENTS.entries()) {
    const slot = slots[index];
    if (!isCount(slot)) continue;
    const from = health.slots.read(commitment, slot, startMs);
    if (from !== undefined) health.noteBackwards(from, slot, nowMs);
  }
  health.noteProbe(nowMs - startMs);
}
