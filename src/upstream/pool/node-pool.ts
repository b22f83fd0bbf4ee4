import { serviceError } from '../../base/service-error.ts';
import { COMMITMENTS, type Commitment, type Slots } from '../../rpc/commitment.ts';
import type { UpstreamReply } from '../../rpc/upstream-reply.ts';
import type { Upstream, UpstreamRequest } from '../upstream.ts';
import { attempt, isLight, isRead, mayMoveOn, noteSlot } from './attempt.ts';
import { genesisOfMost } from './genesis-of-most.ts';
import { HedgeBudget } from './hedge-budget.ts';
import { judgeReply } from './judge-reply.ts';
import { judgeNode, type Scene, type Verdict } from './judge-node.ts';
import { NodeProbes } from './node-probes.ts';
import { hasTaker, isHistoryOfSome, mayCatchUp, pickNode, takersOf, type Wanted } from './pick-node.ts';
import { NODE_ROLES, type PoolNode } from './pool-node.ts';
import type { PoolSettings } from './pool-settings.ts';
import { noteGenesis } from './probe-node.ts';
import {
  FailedReply,
  failedReply,
  type Failure,
  type FailoverReason,
  readInTurn,
  type Turns,
} from './read-in-turn.ts';
import { sendOnce } from './send-once.ts';
import { pause, within } from './within.ts';

export type PoolOptions = {
  readonly settings: PoolSettings;
  readonly slotMs: () => number | undefined;
  /** Called when a node's standing changes, why it is not verified, or whether it is stale. */
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
  best(nodes = this.#usable()): Slots {
    const asked = nodes.length > 0 ? nodes : this.#usable();
    const newest = (each: Commitment): number =>
      Math.max(0, ...asked.map(({ health }) => health.slots[each]));
    return { processed: newest('processed'), confirmed: newest('confirmed'), finalized: newest('finalized') };
  }

  /** The newest slot that these nodes have by now at a commitment, if they have kept to the pace since they said it. */
  expected(commitment: Commitment): number {
    const [nowMs, slotMs] = [performance.now(), this.#options.slotMs()];
    const slots = this.#usable().map(({ health }) => health.slots.expected(commitment, nowMs, slotMs));
    return Math.floor(Math.max(0, ...slots));
  }

  /** The genesis hash of the network; undefined while any will do. */
  genesis(): string | undefined {
    return this.probes.isRunning ? this.#genesisHash() : undefined;
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

  /** Notes the genesis hash that a node said when it was asked by others: it may have begun another chain. */
  noteGenesis(node: PoolNode, hash: string): void {
    noteGenesis(node.health, hash);
    this.judge();
  }

  /** Judges each node by what is known now. */
  judge(): void {
    const scene = this.#scene();
    for (const node of this.#nodes) {
      const before = node.verdict;
      node.verdict = judgeNode(node.health, scene);
      const { standing, reasons, isStale } = node.verdict;
      const isSilent = standing === 'unverified' && before.reasons[0] !== reasons[0];
      if (before.standing !== standing || before.isStale !== isStale || isSilent)
        this.#options.onChange(node, before);
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

  #genesisHash(): string | undefined {
    if (this.#settings.genesisHash !== undefined) return this.#settings.genesisHash;
    if (this.#nodes.length < 2) return undefined;
    const { hash, isSettled } = genesisOfMost(this.#nodes, this.#genesis);
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
      const read = isReached ? await this.#readAnywhere(request) : 'behind';
      if (read !== 'behind' && read.kind !== 'failure') return read;
      const sinceMs = performance.now();
      const isLate = reach === undefined || !(await this.#waitBeyond(read, request, sinceMs + leftMs));
      if (isLate) return read === 'behind' ? await this.#readLate(request) : failedReply(read);
      leftMs -= performance.now() - sinceMs;
    }
  }

  /** Waits for a node that has reached the slots; where those that have failed the read, for one that may catch up. */
  async #waitBeyond(read: 'behind' | Failure, request: UpstreamRequest, untilMs: number): Promise<boolean> {
    if (read === 'behind') return await this.#waitFor(request, untilMs);
    const wanted = this.#wanted(request);
    const failed = takersOf(this.#nodes, wanted);
    return mayCatchUp(this.#nodes, wanted, failed) && (await this.#waitFor(request, untilMs, failed));
  }

  /** Reads what it can without what its reader has seen: history that not every node has, from one that has it. */
  async #readLate(request: UpstreamRequest): Promise<UpstreamReply> {
    const late = isHistoryOfSome(this.#nodes, this.#wanted(request)) ? request.reach?.late : undefined;
    if (late !== undefined) return await this.#read({ ...request, ...late });
    const answering = this.#usable().filter(({ health }) => !health.isOpen);
    if (request.reach === undefined || answering.length === 0) throw serviceError('upstreamUnavailable');
    throw request.reach.tooFar(this.best(answering));
  }

  /** Reads again if all nodes that could be asked have failed: one that was not asked may have come back, or is only behind. */
  async #readAnywhere(request: UpstreamRequest, times = 0): Promise<UpstreamReply | 'behind' | Failure> {
    try {
      return await readInTurn(request, this.#turns);
    } catch (error) {
      if (!(error instanceof FailedReply || mayMoveOn(request, error))) throw error;
      const isLast = this.#nodes.length < 2 || !this.probes.isRunning || times >= READ_AGAIN;
      if (isLast) return { kind: 'failure', error };
    }
    await pause(LONGEST_LOOK_MS / 2);
    await this.#probeSoon();
    request.signal.throwIfAborted();
    if (request.reach !== undefined && !this.#hasAny(request)) return 'behind';
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
    const pick = (each: UpstreamRequest, tried: readonly PoolNode[]) =>
      pickNode(this.#nodes, { ...this.#wanted(each, 'send'), tried });
    const { sendAtOnce } = this.#settings;
    return sendOnce(request, (_, tried) => pick(request, tried) ?? pick(anywhere, tried), sendAtOnce);
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
    return hasTaker(this.#nodes, this.#wanted(request));
  }

  #wanted(request: UpstreamRequest, role: Wanted['role'] = 'read'): Wanted {
    return { request, role, nowMs: performance.now(), slotMs: this.#options.slotMs() };
  }

  /** Looks for a node that has reached the slots, and has not failed, until `untilMs`. @returns false if none has. */
  async #waitFor(
    request: UpstreamRequest,
    untilMs: number,
    failed: readonly PoolNode[] = [],
  ): Promise<boolean> {
    const slotMs = this.#options.slotMs() ?? LONGEST_LOOK_MS;
    const lookMs = Math.min(Math.max(slotMs / 2, SHORTEST_LOOK_MS), LONGEST_LOOK_MS);
    const isReached = (): boolean => hasTaker(this.#nodes, this.#wanted(request), failed);
    while (performance.now() + lookMs < untilMs) {
      await pause(lookMs);
      request.signal.throwIfAborted();
      // A node that hung when it was probed may answer again: it is probed anew before the call has waited for long.
      const lookForMs = Math.min(LOOK_FOR_MS, Math.max(0, untilMs - performance.now()));
      await within(this.probes.probeAll(isReached), lookForMs);
      if (isReached()) return true;
    }
    return false;
  }

  readonly #turns: Turns = {
    pick: (request, tried, lacking) => pickNode(this.#nodes, { ...this.#wanted(request), tried, lacking }),
    hedgeAfterMs: ({ health }, request) => {
      const { hedgeShare } = this.#settings;
      if (hedgeShare === 0 || this.#nodes.length < 2 || !isLight(request)) return undefined;
      this.#hedges.earn(hedgeShare);
      return health.latencies.p95Ms;
    },
    patienceMs: () => this.patienceMs(),
    mayHedge: () => this.#hedges.take(),
    onFailover: (node, reason) => this.#options.onFailover(node, reason),
  };
}
