import type { SlotFloor, UpstreamRequest } from '../upstream.ts';
import type { NodeStanding } from './judge-node.ts';
import type { NodeRole, PoolNode } from './pool-node.ts';

/** What a call needs of its node, and the nodes that it has been sent to. */
export type Pick = {
  readonly request: UpstreamRequest;
  readonly role: Exclude<NodeRole, 'subscribe'>;
  readonly tried: readonly PoolNode[];
  readonly nowMs: number;
  readonly slotMs: number | undefined;
};

const NEVER = Number.POSITIVE_INFINITY;
const STANDING: Readonly<Record<NodeStanding, number>> = {
  healthy: 0,
  degraded: 1,
  down: 2,
  unverified: NEVER,
  foreign: NEVER,
};
/** Each of these outweighs all that come before it. */
const NO_HISTORY = 10;
const VERSION_UNKNOWN = 100;
/** Nodes whose history differs by less than this share of it are taken to go back as far as each other. */
const SAME_HISTORY = 0.1;
/** A node is taken to have reached a slot only if it should have done so this many slots ago. */
const MARGIN_SLOTS = 1;

/**
 * Picks the node to send a call to: the best one that may take it, in turn by weight among equals. A node that has the version
 * comes before one that may have it, one that has the history before one that has not, and a healthy one before others.
 *
 * @returns undefined if no node that has not been tried may take it.
 */
export function pickNode(nodes: readonly PoolNode[], pick: Pick): PoolNode | undefined {
  let best = NEVER;
  let picked: PoolNode | undefined;
  let weights = 0;
  const from = historyFrom(nodes, pick.request);
  for (const node of nodes) {
    const rank = rankOf(node, from, pick);
    if (rank === NEVER || rank > best) continue;
    if (rank < best) {
      best = rank;
      picked = undefined;
      weights = 0;
    }
    weights += node.weight;
    node.credit += node.weight;
    if (picked === undefined || node.credit > picked.credit) picked = node;
  }
  if (picked !== undefined) picked.credit -= weights;
  return picked;
}

/** Lower is better. */
function rankOf(
  node: PoolNode,
  from: number | undefined,
  { request, role, tried, nowMs, slotMs }: Pick,
): number {
  if (tried.includes(node) || !hasRole(node, role, request)) return NEVER;
  const { needs, reach } = request;
  let rank = STANDING[node.verdict.standing];
  if (!node.verdict.isAskable) return NEVER;
  if (node.health.isBusy(nowMs)) rank = Math.max(rank, STANDING.degraded);
  if (reach !== undefined && !hasReached(node, reach.floors, { nowMs, slotMs })) return NEVER;
  if (from !== undefined && (node.health.firstSlot ?? 0) > from) rank += NO_HISTORY;
  if (needs === undefined) return rank;
  const has = node.watch.has(needs.since);
  if (has === false) return NEVER;
  return has === undefined ? rank + VERSION_UNKNOWN : rank;
}

/** The slot from which on a node must have blocks for a read: the oldest that it reads, or else what the nodes have that go back furthest. */
function historyFrom(nodes: readonly PoolNode[], request: UpstreamRequest): number | undefined {
  const { oldestSlot } = request;
  if (oldestSlot === undefined) return undefined;
  let [first, newest] = [Infinity, 0];
  for (const node of nodes) {
    const { health, verdict } = node;
    if (!verdict.isAskable || verdict.standing === 'down' || !hasRole(node, 'read', request)) continue;
    first = Math.min(first, health.firstSlot ?? 0);
    newest = Math.max(newest, health.slots.processed);
  }
  const same = first > 0 && first < newest ? first + (newest - first) * SAME_HISTORY : first;
  return Math.max(oldestSlot, same);
}

/** A node for history alone takes reads of old slots, and nothing else. */
function hasRole({ roles }: PoolNode, role: Pick['role'], { oldestSlot }: UpstreamRequest): boolean {
  return roles.has(role) || (role === 'read' && oldestSlot !== undefined && roles.has('archive'));
}

/** True if a node is known to have reached the slots, or must have by the pace of its network. */
export function hasReached(
  { health, verdict }: PoolNode,
  floors: readonly SlotFloor[],
  { nowMs, slotMs }: Readonly<{ nowMs: number; slotMs: number | undefined }>,
): boolean {
  return floors.every(({ commitment, slot }) => {
    const { slots } = health;
    if (slots[commitment] >= slot) return true;
    if (verdict.standing !== 'healthy') return false;
    return slots.expected(commitment, nowMs, slotMs) - MARGIN_SLOTS >= slot;
  });
}
