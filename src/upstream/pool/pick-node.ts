import type { SlotFloor, UpstreamRequest } from '../upstream.ts';
import type { NodeStanding } from './judge-node.ts';
import type { NodeRole, PoolNode } from './pool-node.ts';

/** Requirements of a call on its node. */
export type Wanted = {
  readonly request: UpstreamRequest;
  readonly role: Exclude<NodeRole, 'subscribe'>;
  readonly nowMs: number;
  readonly slotMs: number | undefined;
  /** Nodes that have said that they do not have what it asks. */
  readonly lacking?: readonly PoolNode[];
};

/** The same, and the nodes that it has been sent to. */
export type Pick = Wanted & { readonly tried: readonly PoolNode[] };

const NEVER = Number.POSITIVE_INFINITY;
const STANDING: Readonly<Record<NodeStanding, number>> = {
  healthy: 0,
  degraded: 1,
  down: 2,
  unverified: NEVER,
  foreign: NEVER,
};
/** Outweighs the standing. */
const VERSION_UNKNOWN = 10;
/** Nodes whose history differs by less than this share of it are taken to go back as far as each other. */
const SAME_HISTORY = 0.1;
/** A node is taken to have reached a slot only if it should have done so this many slots ago. */
const MARGIN_SLOTS = 1;

/**
 * Picks the node to send a call to: the best one that may take it, in turn by weight among equals. A node that has the version
 * comes before one that may have it, and a healthy one before others. While a node that has the history is not down, none is
 * picked that leaves out a part of it: nobody can tell a list that is cut short from one that ends.
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

/** One of several nodes, each as often as its weight says. Those that are not among them gain nothing meanwhile. */
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
  wanted: Wanted,
  failed: readonly PoolNode[] = [],
): boolean {
  const from = historyFrom(nodes, wanted);
  return nodes.some((node) => !failed.includes(node) && mayTake(node, from, wanted));
}

/** The nodes that may take a call, of whatever version, and have reached the slots that it asks for. */
export function takersOf(nodes: readonly PoolNode[], wanted: Wanted): readonly PoolNode[] {
  const from = historyFrom(nodes, wanted);
  return nodes.filter((node) => mayTake(node, from, wanted));
}

/** True if a node that has not failed a call, and is not down, has only not reached the slots that it asks for. */
export function mayCatchUp(nodes: readonly PoolNode[], wanted: Wanted, failed: readonly PoolNode[]): boolean {
  const { reach: _, ...request } = wanted.request;
  const alive = nodes.filter(({ verdict }) => verdict.standing !== 'down');
  return hasTaker(alive, { ...wanted, request }, failed);
}

/** True if a call reads history that only some of the nodes have. */
export function isHistoryOfSome(nodes: readonly PoolNode[], wanted: Wanted): boolean {
  const from = historyFrom(nodes, wanted);
  return nodes.some((node) => node.verdict.standing !== 'foreign' && !hasHistory(node, from));
}

/** Lower is better. One that is down is not waited for where another one has answered that it does not have what is asked. */
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

function mayTake(node: PoolNode, from: number | undefined, wanted: Wanted): boolean {
  const { request, nowMs, slotMs } = wanted;
  if (!node.verdict.isAskable || !hasRole(node, wanted) || !hasHistory(node, from)) return false;
  return request.reach === undefined || hasReached(node, request.reach.floors, { nowMs, slotMs });
}

function hasHistory({ health }: PoolNode, from: number | undefined): boolean {
  return from === undefined || (health.firstSlot ?? 0) <= from;
}

/**
 * The slot from which on a node must have blocks for a read: the oldest that it reads, or, if no node has that, what the nodes have that
 * go back furthest.
 */
function historyFrom(nodes: readonly PoolNode[], wanted: Wanted): number | undefined {
  const { request, lacking = [] } = wanted;
  const { oldestSlot, needs } = request;
  if (oldestSlot === undefined) return undefined;
  let [first, newest] = [Infinity, 0];
  for (const node of nodes) {
    const { health, verdict, watch } = node;
    if (!verdict.isAskable || verdict.standing === 'down' || !hasRole(node, wanted)) continue;
    if (lacking.includes(node) || (needs !== undefined && watch.has(needs.since) === false)) continue;
    first = Math.min(first, health.firstSlot ?? 0);
    newest = Math.max(newest, health.slots.processed);
  }
  if (first <= oldestSlot) return oldestSlot;
  return first < newest ? first + (newest - first) * SAME_HISTORY : first;
}

/** A node for history alone takes reads of old slots, reads of what another node does not have, and nothing else. */
function hasRole({ roles }: PoolNode, { role, request, lacking = [] }: Wanted): boolean {
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
