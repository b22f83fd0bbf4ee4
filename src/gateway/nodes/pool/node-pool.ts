import { serviceError } from '../../../core/service-error.ts';
import { COMMITMENTS, type Commitment, type Slots } from '../../../core/rpc/commitment.ts';
import type { UpstreamReply } from '../../../core/rpc/upstream-reply.ts';
import type { Upstream, UpstreamRequest } from '../upstream.ts';
import { attempt, isLight, isRead, mayMoveOn, noteSlot, isPassedOver } from './attempt.ts';
import { type Consensus, KeptCertificate } from './consensus.ts';
import { judgeReply, isUnread } from './judge-reply.ts';
import { judgeNode, type Scene, type Verdict } from './judge-node.ts';
import { NodeProbes } from './node-probes.ts';
import { hasTaker, isHistoryOfSome, mayCatchUp, pickNode, takersOf, type Criteria } from './pick-node.ts';
import { NODE_ROLES, type PoolNode } from './pool-node.ts';
import type { PoolSettings } from './pool-settings.ts';
import { noteGenesis } from './probe-node.ts';
import {
  FailedReply,
  failedReply,
  type Failure,
  type FailoverReason,
  readInTurn,
  type ReadAttempts,
} from './read-in-turn.ts';
import { pause, within } from './within.ts';
import { CallSignal } from '../../../core/rpc/call-signal.ts';

export type PoolOptions = {
  readonly settings: PoolSettings;
  readonly slotMs: () => number | undefined;
  /** Called when a node's state changes, the reason why it is not verified, or whether it is stale or paused. */
  readonly onChange: (node: PoolNode, before: Verdict) => void;
  readonly onFailover: (node: PoolNode, reason: FailoverReason) => void;
  /** Called when the nodes report another consensus than before. */
  readonly onConsensus: (consensus: Consensus) => void;
};

/** Most milliseconds that a call waits for the first node to report its genesis hash. */
const SETTLED_MS = 500;
/** The number of retries of a read that all nodes failed. */
const READ_AGAIN = 2;
/** Pause between two looks for a node that has reached a slot: half a slot, within these bounds. */
const SHORTEST_LOOK_MS = 20;
const LONGEST_LOOK_MS = 200;
/** Most milliseconds that one look waits for the nodes to report their slots. */
const LOOK_FOR_MS = 250;

/** The nodes of one network: routes each call, and tracks the health of each node. */
export class NodePool implements Upstream {
  readonly probes: NodeProbes;
  readonly #options: PoolOptions;
  readonly #hedges = new HedgeBudget();
  readonly #certificate = new KeptCertificate();
  #nodes: readonly PoolNode[] = [];
  #settings: PoolSettings;
  #genesis: string | undefined;
  #consensus: Consensus = { kind: 'unknown', slot: null };

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#settings = options.settings;
    const { slotMs } = options;
    this.probes = new NodeProbes({ nodes: () => this.#nodes, slotMs, onProbed: () => this.judge() });
  }

  get nodes(): readonly PoolNode[] {
    return this.#nodes;
  }

  /** Uses these nodes and settings from now on; calls in flight at other nodes finish there. */
  replace(nodes: readonly PoolNode[], settings = this.#settings): void {
    this.#nodes = nodes;
    this.#settings = settings;
    for (const node of nodes) {
      node.onConsensus = () => this.judge();
      node.onOpen = () => {
        this.judge();
        if (this.probes.isRunning) void this.probes.probe(node);
      };
    }
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

  /** The newest slot that these nodes should have by now at a commitment, at the pace since their last report. */
  expected(commitment: Commitment): number {
    const [nowMs, slotMs] = [performance.now(), this.#options.slotMs()];
    const slots = this.#usable().map(({ health }) => health.slots.expected(commitment, nowMs, slotMs));
    return Math.floor(Math.max(0, ...slots));
  }

  /** The consensus of the network. */
  get consensus(): Consensus {
    return this.#consensus;
  }

  /** The genesis hash of the network; undefined while any will do. */
  genesis(): string | undefined {
    return this.probes.isRunning ? this.#genesisHash() : undefined;
  }

  #usable(): readonly PoolNode[] {
    return this.#nodes.filter(({ verdict: { standing } }) => standing !== 'foreign');
  }

  /** Milliseconds after which a call is also sent to another node; infinite without another node. */
  patienceMs(): number {
    return this.#nodes.length < 2 ? Number.POSITIVE_INFINITY : this.#settings.patienceMs;
  }

  /** Records that a node's WebSocket went silent, like a call without an answer. Probes the node at once. */
  noteSilence(node: PoolNode): void {
    node.health.noteFailure(
      serviceError('upstreamTimeout', { limitMs: this.#settings.patienceMs }),
      performance.now(),
    );
    this.judge();
    if (this.probes.isRunning) void this.probes.probe(node);
  }

  /** Records the genesis hash that a node reported to other callers: it may have begun another chain. */
  noteGenesis(node: PoolNode, hash: string): void {
    noteGenesis(node.health, hash);
    this.judge();
  }

  /** Judges each node by its current health. */
  judge(): void {
    const scene = this.#scene();
    const { kind, slot } =
      scene.consensus.kind === 'alpenglow' ? scene.consensus : { ...scene.consensus, slot: null };
    if (kind !== this.#consensus.kind || slot !== this.#consensus.slot) {
      this.#consensus = { kind, slot };
      this.#options.onConsensus(this.#consensus);
    }
    for (const node of this.#nodes) {
      const before = node.verdict;
      node.verdict = judgeNode(node.health, scene);
      const { standing, reasons, isStale, isPaused } = node.verdict;
      const isSilent = standing === 'unverified' && before.reasons[0] !== reasons[0];
      const isStill = before.isStale !== isStale || before.isPaused !== isPaused;
      if (before.standing !== standing || isStill || isSilent) this.#options.onChange(node, before);
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
    const genesis = this.#genesisHash();
    const chain = genesis ?? (this.#nodes.length === 1 ? this.#nodes[0]?.health.lastHash : undefined);
    const own = this.#usable().filter(
      ({ health, verdict: { standing } }) =>
        standing !== 'unverified' && (chain === undefined || health.lastHash === chain),
    );
    const said = own.map(({ health }) => health.consensus);
    return {
      nowMs,
      slotMs,
      best,
      isGenesisRequired,
      maxLagMs,
      consensus: this.#certificate.consensusOf(chain, said),
      genesis,
    };
  }

  #genesisHash(): string | undefined {
    if (this.#settings.genesisHash !== undefined) return this.#settings.genesisHash;
    if (this.#nodes.length < 2) return undefined;
    const { hash, isSettled } = genesisOfMost(this.#nodes, this.#genesis);
    if (isSettled) this.#genesis = hash;
    return hash;
  }

  /** Only the time until a node has caught up counts as waiting, not the time that a node takes. */
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

  /** Waits for a node that has reached the slots; if those nodes failed the read, for one that may catch up. */
  async #waitBeyond(read: 'behind' | Failure, request: UpstreamRequest, untilMs: number): Promise<boolean> {
    if (read === 'behind') return await this.#waitFor(request, untilMs);
    const wanted = this.#wanted(request);
    const failed = takersOf(this.#nodes, wanted);
    return mayCatchUp(this.#nodes, wanted, failed) && (await this.#waitFor(request, untilMs, failed));
  }

  /** Reads history that only some nodes have from one that has it, even if it is behind what the client has seen. */
  async #readLate(request: UpstreamRequest): Promise<UpstreamReply> {
    const late = isHistoryOfSome(this.#nodes, this.#wanted(request)) ? request.reach?.late : undefined;
    if (late !== undefined) return await this.#read({ ...request, ...late });
    const answering = this.#usable().filter(({ health }) => !health.isOpen);
    if (request.reach === undefined || answering.length === 0) throw serviceError('upstreamUnavailable');
    throw request.reach.tooFar(this.best(answering));
  }

  /** Reads again if all nodes that could be asked failed: another one may have come back, or is only behind. */
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

  /** Asks the only node directly, if it should have reached the slots of the call. */
  async #readAlone(node: PoolNode, request: UpstreamRequest): Promise<UpstreamReply> {
    const reply = await this.#ask(node, request);
    return judgeReply(reply, request) === 'behind' ? await this.#read(request) : reply;
  }

  /** Asks a node once, and records the slot that it shows. */
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

  /** Waits briefly for the nodes to report their genesis hash, if that decides which of them may be asked. */
  #settle(): Promise<unknown> | undefined {
    if (!this.probes.isRunning || this.#nodes.some(({ verdict }) => verdict.isAskable)) return undefined;
    return this.#probeSoon();
  }

  /** Probes all nodes. Resolves when that is done, or after a short wait. */
  #probeSoon(): Promise<unknown> {
    return within(this.probes.probeAll(), SETTLED_MS);
  }

  #hasAny(request: UpstreamRequest): boolean {
    return hasTaker(this.#nodes, this.#wanted(request));
  }

  #wanted(request: UpstreamRequest, role: Criteria['role'] = 'read'): Criteria {
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
      // A node that hung during its probe may answer again: it is probed again before the call has waited for long.
      const lookForMs = Math.min(LOOK_FOR_MS, Math.max(0, untilMs - performance.now()));
      await within(this.probes.probeAll(isReached), lookForMs);
      if (isReached()) return true;
    }
    return false;
  }

  readonly #turns: ReadAttempts = {
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

/** Most hedges at once after a quiet time. */
const MOST = 10;

/** Bounds hedged reads to a share of all reads: each read earns a part of a hedge. */
class HedgeBudget {
  #hedges = 0;

  earn(share: number): void {
    this.#hedges = Math.min(MOST, this.#hedges + share);
  }

  /** Takes one hedge. @returns false if the budget is used up. */
  take(): boolean {
    if (this.#hedges < 1) return false;
    this.#hedges--;
    return true;
  }
}

/**
 * Returns the genesis hash that most nodes have, and the first node's in a tie. The known hash stays while any node has it, had it
 * before falling silent, or may have it. It is settled when each node has been asked, or is down.
 */
function genesisOfMost(
  nodes: readonly PoolNode[],
  known: string | undefined,
): { readonly hash: string | undefined; readonly isSettled: boolean } {
  const counts = new Map<string, number>();
  for (const { genesis } of nodes.map(({ health }) => health))
    if (genesis.kind === 'hash') counts.set(genesis.hash, (counts.get(genesis.hash) ?? 0) + 1);
  const isOpen = nodes.some(
    ({ health: { genesis, lastHash } }) =>
      genesis.kind === 'unasked' || (genesis.kind === 'unstated' && lastHash === known),
  );
  if (known !== undefined && (isOpen || counts.has(known))) return { hash: known, isSettled: true };
  const most = Math.max(0, ...counts.values());
  const hash = [...counts].find(([, count]) => count === most)?.[0];
  return { hash, isSettled: nodes.every(({ health }) => health.genesis.kind !== 'unasked' || health.isOpen) };
}

/** Time that is left to the other nodes when the first has taken a call. */
const OTHERS_MS = 5_000;

type Pick = (request: UpstreamRequest, tried: readonly PoolNode[]) => PoolNode | undefined;

/**
 * Sends a call that must not run twice at one node: to one node, and to the next only if nothing was sent or it was refused unread.
 * With `atOnce` above 1 it goes to that many nodes at the same time, once each. The answer is the first success, else the first
 * reply, else the first error after which it may have run, else the first error. Nodes get 5 s to answer after the first success.
 */
export async function sendOnce(request: UpstreamRequest, pick: Pick, atOnce: number): Promise<UpstreamReply> {
  const tried: PoolNode[] = [];
  const take = (): PoolNode | undefined => {
    const node = pick(request, tried);
    if (node !== undefined) tried.push(node);
    return node;
  };
  const sendToOne = async (asked: UpstreamRequest): Promise<UpstreamReply> => {
    let failure = serviceError('upstreamUnavailable');
    let refusal: UpstreamReply | undefined;
    for (let node = take(); node !== undefined; node = take()) {
      try {
        const reply = await attempt(node, asked);
        if (!isUnread(reply)) return reply;
        refusal = reply;
      } catch (error) {
        if (!mayMoveOn(asked, error)) throw error;
        failure = error;
      }
    }
    if (refusal !== undefined) return refusal;
    throw failure;
  };
  if (atOnce <= 1) return sendToOne(request);
  request.signal.throwIfAborted();
  const late = new CallSignal();
  const forget = request.signal.onAbort((reason) => late.abort(reason));
  const sent = Array.from({ length: atOnce }, () => sendToOne({ ...request, signal: late }));
  const ended = Promise.allSettled(sent);
  try {
    const answer = await Promise.any(sent.map(requireSuccess));
    const leave = () => late.abort(serviceError('upstreamTimeout', { limitMs: OTHERS_MS }));
    const timer = setTimeout(leave, OTHERS_MS).unref();
    void ended.then(() => clearTimeout(timer));
    return answer;
  } catch {
    const outcomes = await ended;
    const answered = outcomes.find((outcome) => outcome.status === 'fulfilled');
    if (answered !== undefined) return answered.value;
    const errors: unknown[] = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    // An error after which the call may have run decides: after the others it could be sent again.
    throw errors.find((error) => !isPassedOver(error)) ?? errors[0] ?? serviceError('upstreamUnavailable');
  } finally {
    void ended.then(forget);
  }
}

/** Rejects for a reply that is an error: another node may have taken the call. */
async function requireSuccess(sent: Promise<UpstreamReply>): Promise<UpstreamReply> {
  const reply = await sent;
  if (reply.kind === 'whole' && reply.isError) throw new Error('the node refused the call');
  return reply;
}
