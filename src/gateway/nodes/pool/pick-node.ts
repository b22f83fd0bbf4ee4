import type { SlotFloor, UpstreamRequest } from '../upstream.ts';
import type { NodeStanding } from './judge-node.ts';
import type { NodeRole, PoolNode } from './pool-node.ts';

/** Requirements of a call on its node. */
export type Criteria = {
  readonly request: UpstreamRequest;
  readonly role: Exclude<NodeRole, 'subscribe'>;
  readonly nowMs: number;
  readonly slotMs: number | undefined;
  /** Nodes that answered that they do not have the requested data. */
  readonly lacking?: readonly PoolNode[];
};

/** The same, and the nodes that it has been sent to. */
export type Pick = Criteria & { readonly tried: readonly PoolNode[] };

const NEVER = Number.POSITIVE_INFINITY;
const STANDING: Readonly<Record<NodeStanding, number>> = {
  healthy: 0,
  degraded: 1,
  down: 2,
  unverified: NEVER,
  foreign: NEVER,
};
/** Outweighs the state of a node. */
const VERSION_UNKNOWN = 10;
/** Nodes whose history differs by less than this share count as going back equally far. */
const SAME_HISTORY = 0.1;
/** A node counts as having reached a slot only if it should have done so this many slots ago. */
const MARGIN_SLOTS = 1;

/**
 * Picks the node to send a call to: the best one that may take it, in turn by weight among equals. A node known to have the version
 * comes before one that may have it, and a healthy node before others. While a node with the full history is not down, no other is
 * picked: a client cannot distinguish a truncated list from a complete one.
 *
 * @returns undefined if no node that has not been tried may take it.
 */
export function pickNode(nodes: readonly PoolNode[], pick: Pick): PoolNode | undefined {
  let best = NEVER;
  let equals: PoolNode[] = [];
  const from = historyFrom(nodes, pick);
  for (const node of nodes) {
    const rank = rankOf(node, from, pick);
    if (rank === NEVER || rank > best) continue;
    if (rank < best) equals = [];
    best = rank;
    equals.push(node);
  }
  return inTurn(equals);
}

/** Picks one of several nodes, each in proportion to its weight. Nodes that are not in the list gain nothing meanwhile. */
function inTurn(nodes: readonly PoolNode[]): PoolNode | undefined {
  let picked: PoolNode | undefined;
  let weights = 0;
  for (const node of nodes) {
    weights += node.weight;
    node.credit += node.weight;
    if (picked === undefined || node.credit > picked.credit) picked = node;
  }
  if (picked !== undefined) picked.credit -= weights;
  return picked;
}

/** True if a node that has not failed a call may take it, of whatever version, and has reached the slots that it asks for. */
export function hasTaker(
  nodes: readonly PoolNode[],
  criteria: Criteria,
  failed: readonly PoolNode[] = [],
): boolean {
  const from = historyFrom(nodes, criteria);
  return nodes.some((node) => !failed.includes(node) && mayTake(node, from, criteria));
}

/** The nodes that may take a call, of whatever version, and have reached the slots that it asks for. */
export function takersOf(nodes: readonly PoolNode[], criteria: Criteria): readonly PoolNode[] {
  const from = historyFrom(nodes, criteria);
  return nodes.filter((node) => mayTake(node, from, criteria));
}

/** True if a node that is not down and has not failed a call only has yet to reach its slots. */
export function mayCatchUp(
  nodes: readonly PoolNode[],
  criteria: Criteria,
  failed: readonly PoolNode[],
): boolean {
  const { reach: _, ...request } = criteria.request;
  const alive = nodes.filter(({ verdict }) => verdict.standing !== 'down');
  return hasTaker(alive, { ...criteria, request }, failed);
}

/** True if a call reads history that only some of the nodes have. */
export function isHistoryOfSome(nodes: readonly PoolNode[], criteria: Criteria): boolean {
  const from = historyFrom(nodes, criteria);
  return nodes.some((node) => node.verdict.standing !== 'foreign' && !hasHistory(node, from));
}

/** Lower is better. A node that is down is not waited for once another has answered that it does not have the data. */
function rankOf(node: PoolNode, from: number | undefined, pick: Pick): number {
  if (pick.tried.includes(node) || !mayTake(node, from, pick)) return NEVER;
  const isAnswered = pick.lacking !== undefined && pick.lacking.length > 0;
  if (isAnswered && node.verdict.standing === 'down') return NEVER;
  let rank = STANDING[node.verdict.standing];
  if (node.health.isBusy(pick.nowMs)) rank = Math.max(rank, STANDING.degraded);
  const { needs } = pick.request;
  if (needs === undefined) return rank;
  const has = node.watch.has(needs.since);
  if (has === false) return NEVER;
  return has === undefined ? rank + VERSION_UNKNOWN : rank;
}

function mayTake(node: PoolNode, from: number | undefined, criteria: Criteria): boolean {
  const { request, nowMs, slotMs } = criteria;
  if (!node.verdict.isAskable || !hasRole(node, criteria) || !hasHistory(node, from)) return false;
  return request.reach === undefined || hasReached(node, request.reach.floors, { nowMs, slotMs });
}

function hasHistory({ health }: PoolNode, from: number | undefined): boolean {
  return from === undefined || (health.firstSlot ?? 0) <= from;
}

/** The slot from which on a node must have blocks for a read: the oldest that it reads or, if no node has that, the oldest available. */
function historyFrom(nodes: readonly PoolNode[], criteria: Criteria): number | undefined {
  const { request, lacking = [] } = criteria;
  const { oldestSlot, needs } = request;
  if (oldestSlot === undefined) return undefined;
  let [first, newest] = [Infinity, 0];
  for (const node of nodes) {
    const { health, verdict, watch } = node;
    if (!verdict.isAskable || verdict.standing === 'down' || !hasRole(node, criteria)) continue;
    if (lacking.includes(node) || (needs !== undefined && watch.has(needs.since) === false)) continue;
    first = Math.min(first, health.firstSlot ?? 0);
    newest = Math.max(newest, health.slots.processed);
  }
  if (first <= oldestSlot) return oldestSlot;
  return first < newest ? first + (newest - first) * SAME_HISTORY : first;
}

/** A node for history alone takes reads of old slots, reads of what another node does not have, and nothing else. */
function hasRole({ roles }: PoolNode, { role, request, lacking = [] }: Criteria): boolean {
  const isPast = role === 'read' && (request.oldestSlot !== undefined || lacking.length > 0);
  return roles.has(role) || (isPast && roles.has('archive'));
}

/** True if a node is known to have reached the slots, or must have by the pace of its network. */
function hasReached(
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
