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
/** Its genesis hash and its history are read this often, and after each loss. */
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
    if (health.genesis.kind === 'unasked' || startMs - state.factsAtMs >= FACTS_MS) {
      await readFacts(node);
      state.factsAtMs = startMs;
    }
    await readSlots(node, state);
  } catch (error) {
    if (startMs < state.answeredFromMs) return;
    health.probeMs = performance.now() - startMs;
    if (health.noteFailure(error, performance.now())) node.onOpen?.();
  }
}

async function readFacts({ health, watch }: PoolNode): Promise<void> {
  const ask = (method: 'getGenesisHash' | 'getFirstAvailableBlock' | 'minimumLedgerSlot') =>
    askNode(watch.upstream, method, [], DEADLINE_MS);
  const [genesis, first, minimum] = await Promise.all([
    ask('getGenesisHash'),
    ask('getFirstAvailableBlock'),
    ask('minimumLedgerSlot'),
  ]);
  noteGenesis(health, typeof genesis === 'string' && HASH.test(genesis) ? genesis : undefined);
  health.firstSlot = isCount(first) ? first : isCount(minimum) ? minimum : undefined;
}

/** A node that has said its hash, and answers with an error now, still has it. */
function noteGenesis(health: NodeHealth, hash: string | undefined): void {
  const before = health.genesis;
  if (hash === undefined) {
    if (before.kind !== 'hash') health.genesis = { kind: 'unstated' };
    return;
  }
  if (before.kind === 'hash' && before.hash !== hash) health.slots.clear();
  health.genesis = { kind: 'hash', hash };
  health.lastHash = hash;
}

async function readSlots({ health, watch }: PoolNode, state: ProbeState): Promise<void> {
  const startMs = performance.now();
  const slots = await Promise.all(
    COMMITMENTS.map((commitment) => askNode(watch.upstream, 'getSlot', [{ commitment }], DEADLINE_MS)),
  );
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
