import type { LedgerPosition } from '../../../../generated/localnet/types.ts';
import { serviceError } from '../../../core/service-error.ts';
import { COMMITMENTS } from '../../../core/rpc/commitment.ts';
import { askNode } from '../network/ask-node.ts';
import { isCount } from '../network/pace.ts';
import { readConsensus } from './consensus.ts';
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
/** Genesis hash, history and consensus are read this often and after each loss; the hash with every probe until it is known. */
const FACTS_MS = 60_000;
/** Under Alpenglow a confirmed slot is final; the slots are read one after the other. */
const ALPENGLOW_LAG_SLOTS = 2;
/** A genesis hash is base-58 of 32 bytes. */
const HASH = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Asks a node for its slots and, when due, for its genesis hash and oldest block, and records the answers. Never rejects: a failure
 * is recorded as well, unless a later probe was answered.
 */
export async function probeNode(node: PoolNode, state: ProbeState): Promise<void> {
  const { health } = node;
  const startMs = performance.now();
  try {
    const areFactsDue = health.genesis.kind === 'unasked' || startMs - state.factsAtMs >= FACTS_MS;
    if (areFactsDue) void readHistory(node);
    // Clients' calls avoid a node without a hash while other nodes have theirs, so ask again: the failure may have been brief.
    if (areFactsDue || health.genesis.kind === 'unstated')
      noteGenesis(health, await ask(node, 'getGenesisHash'));
    if (areFactsDue) {
      state.factsAtMs = startMs;
      void askConsensus(node);
    }
    await readSlots(node, state);
    if (areFactsDue) void readShreds(node);
    else if (hasFinalizedAll(health.slots)) void askConsensus(node);
  } catch (error) {
    if (startMs < state.answeredFromMs) return;
    health.probeMs = performance.now() - startMs;
    if (health.noteFailure(error, performance.now())) node.onOpen?.();
  }
}

function ask(
  { watch }: PoolNode,
  method: Parameters<typeof askNode>[1],
  params: readonly unknown[] = [],
): Promise<unknown> {
  return askNode(watch.upstream, method, params, DEADLINE_MS);
}

/**
 * Records the oldest block that a node has. A node that does not answer, or answers late, keeps its health; its long-term storage
 * still counts if it is merely slow to report it again.
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

/** Records how far its shreds are ahead of the slot that was just read. A node that does not report them keeps its health. */
async function readShreds(node: PoolNode): Promise<void> {
  const { health } = node;
  const { processed } = health.slots;
  const newest = await ask(node, 'getMaxShredInsertSlot').catch(() => undefined);
  health.shredsAhead = isCount(newest) && processed > 0 ? newest - processed : undefined;
}

/** Records the consensus that a node reports. A certificate never changes, so a node that has reported one is not asked again. */
async function askConsensus(node: PoolNode): Promise<void> {
  const { health } = node;
  if (health.consensus.kind === 'alpenglow') return;
  const { lastHash } = health;
  const said = readConsensus(await ask(node, 'getAgGenesisCert').catch(() => undefined));
  // A certificate is kept for good, and the node may have begun another chain since its genesis hash was read.
  if (said.kind === 'alpenglow')
    noteGenesis(health, await ask(node, 'getGenesisHash').catch(() => undefined));
  if (said.kind === 'unknown' || said.kind === health.consensus.kind || health.lastHash !== lastHash) return;
  health.consensus = said;
  node.onConsensus?.();
}

/** Records a node's answer for its genesis hash. A node that reported it before and answers with an error now keeps it. */
export function noteGenesis(health: NodeHealth, hash: unknown): void {
  const before = health.genesis;
  if (typeof hash !== 'string' || !HASH.test(hash)) {
    if (before.kind !== 'hash') health.genesis = { kind: 'unstated' };
    return;
  }
  if (health.lastHash !== undefined && health.lastHash !== hash) {
    health.slots.clear();
    health.consensus = { kind: 'unknown' };
  }
  health.genesis = { kind: 'hash', hash };
  health.lastHash = hash;
}

/** True if confirmed slots are final, as after the switch to Alpenglow. */
function hasFinalizedAll({ confirmed, finalized }: NodeHealth['slots']): boolean {
  return finalized > 0 && confirmed - finalized <= ALPENGLOW_LAG_SLOTS;
}

/** @throws ServiceError `upstreamBroken` if the node reports no slot: then it answers nothing else either. */
async function readSlots(node: PoolNode, state: ProbeState): Promise<void> {
  const { health } = node;
  const startMs = performance.now();
  const slots = await Promise.all(COMMITMENTS.map((commitment) => ask(node, 'getSlot', [{ commitment }])));
  if (!slots.some(isCount))
    throw serviceError('upstreamBroken', {}, new Error('the node does not report its slot'));
  if (startMs < state.answeredFromMs) return;
  state.answeredFromMs = startMs;
  const nowMs = performance.now();
  const before = health.slots.processed;
  for (const [index, commitment] of COMMITMENTS.entries()) {
    const slot = slots[index];
    if (!isCount(slot)) continue;
    const from = health.slots.read(commitment, slot, startMs);
    if (from !== undefined) health.noteBackwards(from, slot, nowMs);
  }
  health.noteProbe(nowMs - startMs);
  health.rest = health.slots.processed === before ? await readRest(node) : undefined;
}

/** Asks a node whose slot has not moved whether it is an embedded ledger that is paused on purpose. */
async function readRest(node: PoolNode): Promise<string | undefined> {
  const position = await ask(node, 'localnet_getPosition').catch(() => undefined);
  const { isPaused, production } = (position ?? {}) as Partial<LedgerPosition>;
  if (isPaused === true) return 'paused';
  return production === 'transaction' ? 'waiting for a transaction' : undefined;
}
