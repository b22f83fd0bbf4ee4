import { COMMITMENTS, type Slots } from '../../rpc/commitment.ts';
import type { Genesis, NodeHealth } from './node-health.ts';

/**
 * `healthy`; `degraded`: asked only where no healthy node answers; `down`: the same, after degraded ones; `unverified`: its
 * genesis hash is not known, it is not asked; `foreign`: it has another chain, it is not asked.
 */
export type NodeStanding = 'healthy' | 'degraded' | 'down' | 'unverified' | 'foreign';

/** How a node stands, why, and how far it is behind the best node. */
export type Verdict = {
  readonly standing: NodeStanding;
  /** False: clients' calls never go there as it stands. */
  readonly isAskable: boolean;
  /** What is wrong; for a healthy node only what does not keep calls from it. */
  readonly reasons: readonly string[];
  /** True if it answers, but its slots stand still or fall behind its own shreds: no other node is needed to see that. */
  readonly isStale: boolean;
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
  /** True if a node is asked only after it has said its genesis hash. */
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
/** A node whose slot has not moved for so many slots, and so many milliseconds, stands still. */
const STILL = { slots: 10, ms: 5_000 } as const;
/** A node has shreds before it processes them, but not of so many slots: a blockhash would expire meanwhile. */
const MAX_SHREDS_AHEAD = 150;
/** Nodes are read one after the other: less than this is no lag. */
const LEAST_LAG_SLOTS = 2;

export const UNJUDGED: Verdict = {
  ...{ standing: 'healthy', isAskable: true, reasons: [], isStale: false, lagSlots: 0, lagMs: null },
};

/** Judges a node by its answers so far. */
export function judgeNode(health: NodeHealth, scene: Scene): Verdict {
  const lagSlots = lagOf(health, scene);
  const lagMs = scene.slotMs === undefined ? null : Math.round(lagSlots * scene.slotMs);
  const lag = { lagSlots, lagMs, isStale: false };
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
  const stale = stalenessOf(health, scene);
  const standing = faults.length === 0 ? 'healthy' : 'degraded';
  return { ...lag, standing, isAskable, reasons: [...faults, ...stale], isStale: stale.length > 0 };
}

/** True for a node that says its genesis hash, or said it before; or that does not while nobody knows what it has to be. */
function mayBeOf(genesis: string | undefined, { genesis: said, lastHash }: NodeHealth): boolean {
  if (said.kind === 'unstated') return genesis === undefined || genesis === lastHash;
  return said.kind === 'hash';
}

function silenceOf({ kind }: Genesis): string {
  return kind === 'unasked' ? 'has not said its genesis hash yet' : 'does not say its genesis hash';
}

function faultsOf(
  health: NodeHealth,
  { nowMs, maxLagMs }: Scene,
  { lagSlots, lagMs }: Pick<Verdict, 'lagSlots' | 'lagMs'>,
): readonly string[] {
  // It has caught up at half of the limit, so that it does not come and go.
  health.isLagging = lagMs !== null && lagMs > (health.isLagging ? maxLagMs / 2 : maxLagMs);
  const back = health.wentBack(nowMs);
  const { errorRate, probeMs = 0 } = health;
  const slowRate = health.slowRate(nowMs);
  return [
    ...(health.isLagging ? [`behind by ${lagSlots} slots, ${((lagMs ?? 0) / 1_000).toFixed(1)} s`] : []),
    ...(back === undefined ? [] : [`went back from slot ${back.from} to ${back.to}`]),
    ...(errorRate > MAX_ERROR_RATE ? [`${Math.round(100 * errorRate)} % of its latest calls failed`] : []),
    ...(slowRate > MAX_SLOW_RATE
      ? [`took too long for ${Math.round(100 * slowRate)} % of its latest reads`]
      : []),
    ...(probeMs > MAX_PROBE_MS ? [`took ${Math.round(probeMs)} ms to say its slot`] : []),
    ...(health.isBusy(nowMs) ? ['limits the rate of calls'] : []),
  ];
}

function stalenessOf({ slots, shredSlot = 0 }: NodeHealth, { nowMs, slotMs }: Scene): readonly string[] {
  const shredsAhead = slots.processed === 0 ? 0 : shredSlot - slots.processed;
  const stillMs = nowMs - slots.risenAtMs;
  const isStill = slots.risenAtMs > 0 && stillMs >= Math.max(STILL.ms, STILL.slots * (slotMs ?? 0));
  return [
    ...(isStill && slotMs !== undefined
      ? [`has stood at slot ${slots.processed} for ${Math.round(stillMs / 1_000)} s`]
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
