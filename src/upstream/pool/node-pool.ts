import { serviceError } from '../../base/service-error.ts';
import { COMMITMENTS, type Commitment, type Slots } from '../../rpc/commitment.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import type { Upstream, UpstreamRequest } from '../upstream.ts';
import { attempt, isLight, isRead, mayMoveOn, noteSlot } from './attempt.ts';
import { HedgeBudget } from './hedge-budget.ts';
import { judgeReply } from './judge-reply.ts';
import { judgeNode, type Scene, type Verdict } from './judge-node.ts';
import { NodeProbes } from './node-probes.ts';
import { hasReached, pickNode } from './pick-node.ts';
import { NODE_ROLES, type PoolNode } from './pool-node.ts';
import { FailedReply, type FailoverReason, readInTurn } from './read-in-turn.ts';
import { sendOnce } from './send-once.ts';
import { pause, within } from './within.ts';

export type PoolSettings = {
  /** Most milliseconds that a node may be behind the best one. */
  readonly maxLagMs: number;
  /** Milliseconds after which a read is sent to another node too. */
  readonly patienceMs: number;
  /** The share of reads that are hedged at most: sent to another node too when they take longer than 95 in 100; 0: none. */
  readonly hedgeShare: number;
  /** The number of nodes that a transaction is sent to at once. */
  readonly sendAtOnce: number;
  /** The genesis hash of the network; undefined: that of most nodes. */
  readonly genesisHash?: string | undefined;
};

export const POOL_DEFAULTS: PoolSettings = {
  ...{ maxLagMs: 5_000, patienceMs: 5_000, hedgeShare: 0, sendAtOnce: 1 },
};

export type PoolOptions = {
  readonly settings: PoolSettings;
  readonly slotMs: () => number | undefined;
  /** Called when a node's standing changes. */
  readonly onChange: (node: PoolNode, before: Verdict) => void;
  readonly onFailover: (node: PoolNode, reason: FailoverReason) => void;
};

/** Most milliseconds that a call waits for the first node to say its genesis hash. */
const SETTLED_MS = 500;
/** How often a read is tried again after all nodes have failed it. */
const READ_AGAIN = 2;
/** Pause between two looks for a node that has reached a slot: half a slot, within these bounds. */
const SHORTEST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 200;
/** Most milliseconds that one look waits for the nodes to say their slots. */
const LOOK_FOR_MS = 250;

/** The nodes of one network: which of them a call goes to, and what is known of each. */
export class NodePool implements Upstream {
  readonly probes: NodeProbes;
  readonly #options: PoolOptions;
  readonly #hedges = new HedgeBudget();
  #nodes: readonly PoolNode[] = [];
  #settings: PoolSettings;
  #genesis: string | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#settings = options.settings;
    const { slotMs } = options;
    this.probes = new NodeProbes({ nodes: () => this.#nodes, slotMs, onProbed: () => this.judge() });
  }

  get nodes(): readonly PoolNode[] {
    return this.#nodes;
  }

  /** Uses these nodes, and these settings, from now on; calls in flight at others are finished there. */
  replace(nodes: readonly PoolNode[], settings = this.#settings): void {
    this.#nodes = nodes;
    this.#settings = settings;
    for (const node of nodes)
      node.onOpen = () => {
        this.judge();
        if (this.probes.isRunning) void this.probes.probe(node);
      };
    this.judge();
  }

  readonly send = (request: UpstreamRequest): Promise<UpstreamReply> => {
    const [only] = this.#nodes;
    const isAlone = only !== undefined && this.#nodes.length === 1 && only.roles.size === NODE_ROLES.length;
    if (isAlone && only.verdict.isAskable && request.needs === undefined) {
      if (request.reach === undefined) return this.#ask(only, request);
      if (isRead(request) && this.#hasAny(request)) return this.#readAlone(only, request);
    }
    return isRead(request) ? this.#read(request) : this.#sendOnce(request);
  };

  async close(): Promise<void> {
    this.probes.stop();
    await Promise.all(this.#nodes.map(({ upstream }) => upstream.close()));
  }

  /** The newest slots of the nodes that are in use. */
  best(): Slots {
    const usable = this.#usable();
    const newest = (each: Commitment): number =>
      Math.max(0, ...usable.map(({ health }) => health.slots[each]));
    return { processed: newest('processed'), confirmed: newest('confirmed'), finalized: newest('finalized') };
  }

  /** The newest slot that these nodes have by now at a commitment, if they have kept to the pace since they said it. */
  expected(commitment: Commitment): number {
    const [nowMs, slotMs] = [performance.now(), this.#options.slotMs()];
    const slots = this.#usable().map(({ health }) => health.slots.expected(commitment, nowMs, slotMs));
    return Math.floor(Math.max(0, ...slots));
  }

  #usable(): readonly PoolNode[] {
    return this.#nodes.filter(({ verdict: { standing } }) => standing !== 'foreign');
  }

  /** Milliseconds after which a call is sent to another node too; infinite if there is none. */
  patienceMs(): number {
    return this.#nodes.length < 2 ? Number.POSITIVE_INFINITY : this.#settings.patienceMs;
  }

  /** Notes that a node left its WebSocket silent: a call that it did not answer. It is probed at once. */
  noteSilence(node: PoolNode): void {
    node.health.noteFailure(
      serviceError('upstreamTimeout', { limitMs: this.#settings.patienceMs }),
      performance.now(),
    );
    this.judge();
    if (this.probes.isRunning) void this.probes.probe(node);
  }

  /** Judges each node by what is known now. */
  judge(): void {
    const scene = this.#scene();
    for (const node of this.#nodes) {
      const before = node.verdict;
      node.verdict = judgeNode(node.health, scene);
      if (before.standing !== node.verdict.standing) this.#options.onChange(node, before);
    }
  }

  #scene(): Scene {
    const nowMs = performance.now();
    const slotMs = this.#options.slotMs();
    const alive = this.#nodes.filter(
      ({ health, verdict }) => !health.isOpen && verdict.standing !== 'foreign',
    );
    const best = { processed: 0, confirmed: 0, finalized: 0 };
    for (const { health } of alive)
      for (const each of COMMITMENTS)
        best[each] = Math.max(best[each], health.slots.expected(each, nowMs, slotMs));
    const { maxLagMs, genesisHash } = this.#settings;
    const isGenesisRequired = this.probes.isRunning && (this.#nodes.length > 1 || genesisHash !== undefined);
    return { ...{ nowMs, slotMs, best, isGenesisRequired, maxLagMs }, genesis: this.#genesisHash() };
  }

  /**
   * The genesis hash that most nodes have, the first one's among equals. It stays while any node has it, or had it and does not say it
   * now, or may have it.
   */
  #genesisHash(): string | undefined {
    if (this.#settings.genesisHash !== undefined) return this.#settings.genesisHash;
    if (this.#nodes.length < 2) return undefined;
    const counts = new Map<string, number>();
    for (const { genesis } of this.#nodes.map(({ health }) => health))
      if (genesis.kind === 'hash') counts.set(genesis.hash, (counts.get(genesis.hash) ?? 0) + 1);
    const isOpen = this.#nodes.some(
      ({ health: { genesis, lastHash } }) =>
        genesis.kind === 'unasked' || (genesis.kind === 'unstated' && lastHash === this.#genesis),
    );
    if (this.#genesis !== undefined && (isOpen || counts.has(this.#genesis))) return this.#genesis;
    const most = Math.max(0, ...counts.values());
    const isSettled = this.#nodes.every(({ health }) => health.genesis.kind !== 'unasked' || health.isOpen);
    const hash = [...counts].find(([, count]) => count === most)?.[0];
    if (isSettled) this.#genesis = hash;
    return hash;
  }

  /** Only what it waits for a node that is not behind counts as waiting, not how long a node takes. */
  async #read(request: UpstreamRequest): Promise<UpstreamReply> {
    await this.#settle();
    const { reach } = request;
    let leftMs = reach?.waitMs ?? 0;
    for (;;) {
      const isReached = reach === undefined || this.#hasAny(request);
      const reply = isReached ? await this.#readAnywhere(request) : 'behind';
      if (reply !== 'behind') return reply;
      const sinceMs = performance.now();
      const isLate = reach === undefined || !(await this.#waitFor(request, sinceMs + leftMs));
      if (isLate) throw reach?.tooFar(this.best()) ?? serviceError('upstreamUnavailable');
      leftMs -= performance.now() - sinceMs;
    }
  }

  /** Reads again if all nodes that could be asked have failed: one that was not asked may have come back. */
  async #readAnywhere(request: UpstreamRequest, times = 0): Promise<UpstreamReply | 'behind'> {
    try {
      return await readInTurn(request, this.#turns);
    } catch (error) {
      const isLast = this.#nodes.length < 2 || !this.probes.isRunning || times >= READ_AGAIN;
      if (isLast && error instanceof FailedReply) return error.reply;
      if (isLast || !(error instanceof FailedReply || mayMoveOn(request, error))) throw error;
    }
    await pause(LONGEST_LOOK_MS / 2);
    await this.#probeSoon();
    request.signal.throwIfAborted();
    return await this.#readAnywhere(request, times + 1);
  }

  /** The only node is asked without further ado, if it should have reached what the call asks for. */
  async #readAlone(node: PoolNode, request: UpstreamRequest): Promise<UpstreamReply> {
    const reply = await this.#ask(node, request);
    return judgeReply(reply, request) === 'behind' ? await this.#read(request) : reply;
  }

  /** Asks a node once, and notes how far it is. */
  async #ask(node: PoolNode, request: UpstreamRequest): Promise<UpstreamReply> {
    const reply = await attempt(node, request);
    const shown = request.slotOf?.(reply);
    if (shown !== undefined) noteSlot(node, shown);
    return reply;
  }

  async #sendOnce(request: UpstreamRequest): Promise<UpstreamReply> {
    await this.#settle();
    const { reach: _, ...anywhere } = request;
    const pick = (tried: readonly PoolNode[]) =>
      this.#pick(request, tried, 'send') ?? this.#pick(anywhere, tried, 'send');
    return sendOnce(request, (_request, tried) => pick(tried), this.#settings.sendAtOnce);
  }

  /** Waits a short time for the nodes to say their genesis hash, if that decides which of them may be asked. */
  #settle(): Promise<unknown> | undefined {
    if (!this.probes.isRunning || this.#nodes.some(({ verdict }) => verdict.isAskable)) return undefined;
    return this.#probeSoon();
  }

  /** Probes all nodes. Resolves when that is done, and after a short wait at the latest. */
  #probeSoon(): Promise<unknown> {
    return within(this.probes.probeAll(), SETTLED_MS);
  }

  #hasAny(request: UpstreamRequest): boolean {
    const [nowMs, slotMs] = [performance.now(), this.#options.slotMs()];
    const floors = request.reach?.floors ?? [];
    return this.#nodes.some((node) => node.verdict.isAskable && hasReached(node, floors, { nowMs, slotMs }));
  }

  /** Looks for a node that has reached the slots until `untilMs`. @returns false if none has. */
  async #waitFor(request: UpstreamRequest, untilMs: number): Promise<boolean> {
    const slotMs = this.#options.slotMs() ?? LONGEST_LOOK_MS;
    const lookMs = Math.min(Math.max(slotMs / 2, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
    while (performance.now() + lookMs < untilMs) {
      await pause(lookMs);
      request.signal.throwIfAborted();
      // A node that hung when it was probed may answer again: it is probed anew before the call has waited for long.
      const lookForMs = Math.min(LOOK_FOR_MS, Math.max(0, untilMs - performance.now()));
      await within(
        this.probes.probeAll(() => this.#hasAny(request)),
        lookForMs,
      );
      if (this.#hasAny(request)) return true;
    }
    return false;
  }

  #pick(request: UpstreamRequest, tried: readonly PoolNode[], role: 'read' | 'send'): PoolNode | undefined {
    const slotMs = this.#options.slotMs();
    return pickNode(this.#nodes, { request, role, tried, nowMs: performance.now(), slotMs });
  }

  readonly #turns = {
    pick: (request: UpstreamRequest, tried: readonly PoolNode[]) => this.#pick(request, tried, 'read'),
    hedgeAfterMs: ({ health }: PoolNode, request: UpstreamRequest): number | undefined => {
      const { hedgeShare } = this.#settings;
      if (hedgeShare === 0 || this.#nodes.length < 2 || !isLight(request)) return undefined;
      this.#hedges.earn(hedgeShare);
      return health.latencies.p95Ms;
    },
    patienceMs: () => this.patienceMs(),
    mayHedge: () => this.#hedges.take(),
    onFailover: (node: PoolNode, reason: FailoverReason) => this.#options.onFailover(node, reason),
  };
}
