import { judgedStatus, type NodeStatus } from '../pool/node-status.ts';
import { NodePool, type PoolOptions } from '../pool/node-pool.ts';
import { POOL_DEFAULTS, type PoolSettings } from '../pool/pool-settings.ts';
import type { Consensus } from '../pool/consensus.ts';
import type { PubsubRank } from '../node-turns.ts';
import { createPoolNode, type WatchedNode } from '../pool/pool-node.ts';
import type { Commitment, Slots } from '../../../core/rpc/commitment.ts';
import type { Upstream } from '../upstream.ts';
import type { VersionWatch } from './node-watch.ts';

/** `some`: a node supports it; `unknown`: a node may; `none`: all nodes are known to be older. */
export type Support = 'some' | 'unknown' | 'none';

/** The known versions of a network's nodes. */
export type NodeVersions = {
  /** Reports whether a node supports the features of a version (`4.4`). */
  readonly support: (since: string) => Support;
  /** Returns the versions as the nodes report them, without duplicates. */
  readonly versions: () => readonly string[];
  /** Resolves when no version request is pending, or after a short wait. */
  readonly settled: () => Promise<void>;
};

/** The nodes of a network as one, with their versions. */
export type LedgerNodes = NodeVersions & {
  /** Sends each call to the node that is best for it. */
  readonly upstream: Upstream;
  readonly statuses: () => readonly NodeStatus[];
  readonly consensus: () => Consensus;
  /** True if the network has at most one node. */
  readonly isAlone: () => boolean;
  /** True if every node is known to support the features of a version. */
  readonly allHave: (since: string) => boolean;
  /** The newest slots that any node has. */
  readonly best: () => Slots;
  /** The newest slot that any node should have by now at a commitment, by the pace of the chain. */
  readonly expected: (commitment: Commitment) => number;
  /** The genesis hash that a node must have to be asked; undefined: any will do. */
  readonly genesis: () => string | undefined;
  /** Records the genesis hash that a node reported. */
  readonly noteGenesis: (watch: VersionWatch, hash: string) => void;
  /** True if a node is known to have another chain. */
  readonly isForeign: (watch: VersionWatch) => boolean;
  /** Returns how good a node is for subscriptions; undefined if they must not be made there. */
  readonly pubsubRank: (watch: VersionWatch) => PubsubRank | undefined;
  /** Returns the milliseconds after which a call also goes to another node; infinite without another node. */
  readonly patienceMs: () => number;
  /** Records that a node's WebSocket went silent, or left calls unanswered. */
  readonly noteSilence: (watch: VersionWatch) => void;
  /** Uses other nodes, and other settings, from now on. */
  readonly replace: (nodes: readonly WatchedNode[], settings: PoolSettings) => void;
  /** Asks the nodes for their versions and their health until it is closed. */
  readonly start: () => void;
  readonly close: () => Promise<void>;
};

const UNOBSERVED: PoolOptions = {
  settings: POOL_DEFAULTS,
  slotMs: () => undefined,
  onChange: () => undefined,
  onFailover: () => undefined,
  onConsensus: () => undefined,
};

/** Milliseconds for which a node that is no longer used may finish its calls. */
const FINISH_MS = 60_000;

/** Joins the nodes of a network into one. */
export function joinNodes(nodes: readonly WatchedNode[], options: Partial<PoolOptions> = {}): LedgerNodes {
  const pool = new NodePool({ ...UNOBSERVED, ...options });
  pool.replace(nodes.map((node) => createPoolNode(node)));
  const watches = (): readonly VersionWatch[] => pool.nodes.map(({ watch }) => watch);
  let isStarted = false;
  let isClosed = false;
  return {
    upstream: pool,
    best: () => pool.best(),
    expected: (commitment) => pool.expected(commitment),
    support: (since) => {
      const known = watches().map((watch) => watch.has(since));
      if (known.includes(true)) return 'some';
      return known.includes(undefined) ? 'unknown' : 'none';
    },
    isAlone: () => pool.nodes.length < 2,
    allHave: (since) => watches().every((watch) => watch.has(since) === true),
    versions: () => [...new Set(watches().flatMap(({ version }) => version ?? []))],
    statuses: () => pool.nodes.map(judgedStatus),
    consensus: () => pool.consensus,
    settled: async () => {
      await Promise.all(watches().map((watch) => watch.settled()));
    },
    genesis: () => pool.genesis(),
    noteGenesis: (watch, hash) => {
      const node = pool.nodes.find((each) => each.watch === watch);
      if (node !== undefined) pool.noteGenesis(node, hash);
    },
    isForeign: (watch) => pool.nodes.find((each) => each.watch === watch)?.verdict.standing === 'foreign',
    pubsubRank: (watch) => {
      const node = pool.nodes.find((each) => each.watch === watch);
      if (node === undefined || !node.verdict.isAskable || !node.roles.has('subscribe')) return undefined;
      const { standing, lagSlots } = node.verdict;
      return { isHealthy: standing === 'healthy', lagSlots };
    },
    patienceMs: () => pool.patienceMs(),
    noteSilence: (watch) => {
      const node = pool.nodes.find((each) => each.watch === watch);
      if (node !== undefined) pool.noteSilence(node);
    },
    replace: (next, settings) => {
      const kept = new Map(pool.nodes.map((node) => [node.watch, node]));
      const joined = next.map((node) => createPoolNode(node, kept.get(node.watch)));
      const left = pool.nodes.filter(({ watch }) => !next.some((node) => node.watch === watch));
      pool.replace(joined, settings);
      for (const { watch, upstream } of left) {
        watch.stop();
        setTimeout(() => void upstream.close(), FINISH_MS).unref();
      }
      if (isStarted) for (const { watch } of joined) if (!kept.has(watch)) watch.start();
      if (isStarted) void pool.probes.probeAll();
    },
    start: () => {
      if (isClosed) return;
      isStarted = true;
      for (const watch of watches()) watch.start();
      pool.probes.start();
    },
    close: async () => {
      isClosed = true;
      for (const watch of watches()) watch.stop();
      await pool.close();
    },
  };
}
