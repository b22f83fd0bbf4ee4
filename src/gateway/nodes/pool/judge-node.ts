import { COMMITMENTS, type Slots } from '../../../core/rpc/commitment.ts';
import type { SaidConsensus } from './consensus.ts';
import type { Genesis, NodeHealth } from './node-health.ts';

/**
 * `healthy`; `degraded`: asked only where no healthy node answers; `down`: the same, after degraded ones; `unverified`: its
 * genesis hash is not known, it is not asked; `foreign`: it has another chain, it is not asked.
 */
export type NodeStanding = 'healthy' | 'degraded' | 'down' | 'unverified' | 'foreign';

/** The state of a node, its reasons, and its distance to the best node. */
export type Verdict = {
  readonly standing: NodeStanding;
  /** False: clients' calls never go there in this state. */
  readonly isAskable: boolean;
  /** The problems; a healthy node has only those that do not keep calls from it. */
  readonly reasons: readonly string[];
  /** True if it answers, but its slots stand still or fall behind its own shreds, which shows without another node. */
  readonly isStale: boolean;
  /** True for an embedded ledger that is paused on purpose. */
  readonly isPaused: boolean;
  readonly lagSlots: number;
  /** Null while the pace of the network is unknown. */
  readonly lagMs: number | null;
};

/** The network that a node is judged in. */
export type Scene = {
  readonly nowMs: number;
  readonly slotMs: number | undefined;
  /** The newest slots of the nodes that are not down. */
  readonly best: Slots;
  /** The genesis hash of the network; undefined: any will do. */
  readonly genesis: string | undefined;
  /** The consensus that most nodes report. */
  readonly consensus: SaidConsensus;
  /** True if a node gets calls only after it has reported its genesis hash. */
  readonly isGenesisRequired: boolean;
  /** Most milliseconds that a node may be behind the best one. */
  readonly maxLagMs: number;
};

/** A node that fails more of its calls than this is degraded. */
const MAX_ERROR_RATE = 0.3;
/** A node that takes too long for more of its light reads is degraded. */
const MAX_SLOW_RATE = 0.3;
/** A probe takes longer than this only at a node that is overloaded or far away. */
const MAX_PROBE_MS = 1_000;
/** A node stands still when its slot has not moved for this number of slots and milliseconds. */
const STILL = { slots: 10, ms: 5_000 } as const;
/** A node has shreds before it processes them, but of fewer slots than this: a blockhash would expire meanwhile. */
const MAX_SHREDS_AHEAD = 150;
/** Nodes are read one after the other: less than this is no lag. */
const LEAST_LAG_SLOTS = 2;

export const UNJUDGED: Verdict = {
  standing: 'healthy',
  isAskable: true,
  reasons: [],
  isStale: false,
  isPaused: false,
  lagSlots: 0,
  lagMs: null,
};

/** Judges a node by its answers so far. */
export function judgeNode(health: NodeHealth, scene: Scene): Verdict {
  const lagSlots = lagOf(health, scene);
  const lagMs = scene.slotMs === undefined ? null : Math.round(lagSlots * scene.slotMs);
  const lag = { lagSlots, lagMs, isStale: false, isPaused: false };
  const { genesis } = health;
  if (genesis.kind === 'hash' && scene.genesis !== undefined && genesis.hash !== scene.genesis) {
    const reasons = [`has another genesis hash, ${genesis.hash}`];
    return { standing: 'foreign', isAskable: false, reasons, ...lag };
  }
  const isAskable = !scene.isGenesisRequired || mayBeOf(scene.genesis, health);
  if (health.isOpen)
    return { standing: 'down', isAskable, reasons: [`failed: ${health.lastFailure}`], ...lag };
  if (!isAskable) return { standing: 'unverified', isAskable, reasons: [silenceOf(genesis)], ...lag };
  const faults = faultsOf(health, scene, lag);
  const still = stillnessOf(health, scene);
  const isStill = still.length > 0;
  const isPaused = isStill && health.rest !== undefined;
  const standing = faults.length === 0 ? 'healthy' : 'degraded';
  return {
    ...lag,
    standing,
    isAskable,
    reasons: [...faults, ...still],
    isStale: isStill && !isPaused,
    isPaused,
  };
}

/** True for a node whose genesis hash matches or matched before, and for any silent node while the right hash is unknown. */
function mayBeOf(genesis: string | undefined, { genesis: said, lastHash }: NodeHealth): boolean {
  if (said.kind === 'unstated') return genesis === undefined || genesis === lastHash;
  return said.kind === 'hash';
}

function silenceOf({ kind }: Genesis): string {
  return kind === 'unasked' ? 'has not reported its genesis hash yet' : 'does not report its genesis hash';
}

function faultsOf(
  health: NodeHealth,
  { nowMs, maxLagMs, consensus: ofMost }: Scene,
  { lagSlots, lagMs }: Pick<Verdict, 'lagSlots' | 'lagMs'>,
): readonly string[] {
  // It has caught up at half of the limit, so that the state does not flap.
  health.isLagging = lagMs !== null && lagMs > (health.isLagging ? maxLagMs / 2 : maxLagMs);
  const back = health.wentBack(nowMs);
  const { errorRate, probeMs = 0, consensus } = health;
  const isOther =
    ofMost.kind === 'alpenglow' && consensus.kind === 'alpenglow' && consensus.block !== ofMost.block;
  const slowRate = health.slowRate(nowMs);
  return [
    ...(health.isLagging ? [`behind by ${lagSlots} slots, ${((lagMs ?? 0) / 1_000).toFixed(1)} s`] : []),
    ...(back === undefined ? [] : [`went back from slot ${back.from} to slot ${back.to}`]),
    ...(errorRate > MAX_ERROR_RATE ? [`${Math.round(100 * errorRate)} % of its latest calls failed`] : []),
    ...(slowRate > MAX_SLOW_RATE
      ? [`took too long for ${Math.round(100 * slowRate)} % of its latest reads`]
      : []),
    ...(probeMs > MAX_PROBE_MS ? [`took ${Math.round(probeMs)} ms to report its slot`] : []),
    ...(health.isBusy(nowMs) ? ['limits the rate of calls'] : []),
    ...(isOther ? [`has another Alpenglow certificate, of slot ${consensus.slot}`] : []),
  ];
}

function stillnessOf(
  { slots, shredsAhead = 0, rest }: NodeHealth,
  { nowMs, slotMs }: Scene,
): readonly string[] {
  const stillMs = nowMs - slots.risenAtMs;
  const isStill = slots.risenAtMs > 0 && stillMs >= Math.max(STILL.ms, STILL.slots * (slotMs ?? 0));
  return [
    ...(isStill && slotMs !== undefined
      ? [`${rest ?? 'has stood'} at slot ${slots.processed} for ${Math.round(stillMs / 1_000)} s`]
      : []),
    ...(shredsAhead > MAX_SHREDS_AHEAD
      ? [`has shreds of ${shredsAhead} slots that it has not processed`]
      : []),
  ];
}

/** Slots behind the best node, at the commitment where that is most; 0 while one of them is unknown. */
function lagOf({ slots }: NodeHealth, { nowMs, slotMs, best }: Scene): number {
  let lag = 0;
  for (const each of COMMITMENTS)
    if (slots[each] > 0) lag = Math.max(lag, best[each] - slots.expected(each, nowMs, slotMs));
  return lag < LEAST_LAG_SLOTS ? 0 : Math.floor(lag);
}
