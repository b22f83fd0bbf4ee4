import { type ProbeState, probeNode } from './probe-node.ts';
import type { PoolNode } from './pool-node.ts';

export type ProbesOptions = {
  readonly nodes: () => readonly PoolNode[];
  readonly slotMs: () => number | undefined;
  /** Called when a node has been probed. */
  readonly onProbed: () => void;
};

type Probe = { readonly startedMs: number; readonly ended: Promise<void> };
/** `latest`: the probe under way that began last. */
type State = ProbeState & { latest: Probe | undefined; pauseMs: number };

/** A node that is down is probed again after this pause, which doubles up to the shortest interval. */
const FIRST_PAUSE_MS = 50;
/** A call that waits for a node does not wait for a probe that takes longer: the node may answer again. */
const OVERDUE_MS = 500;
/** A node is probed once in this many slots, from once a second to once in five. */
const SLOTS = 5;
const SHORTEST_MS = 1_000;
const LONGEST_MS = 5_000;

/** Probes the nodes of a pool until it is stopped: three small calls a round, and five more once a minute. */
export class NodeProbes {
  readonly #options: ProbesOptions;
  readonly #states = new WeakMap<PoolNode, State>();
  #timer: NodeJS.Timeout | undefined;
  #isRunning = false;

  constructor(options: ProbesOptions) {
    this.#options = options;
  }

  /** True once the nodes are probed: until then all are used. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.#isRunning = true;
    this.#run();
  }

  stop(): void {
    this.#isRunning = false;
    clearTimeout(this.#timer);
  }

  /** Probes all nodes now. Resolves when each has answered or failed, or when one has and `isEnough` is true. */
  probeAll(isEnough: () => boolean = () => false): Promise<void> {
    return new Promise((resolve) => {
      const probed = this.#options.nodes().map(async (node) => {
        await this.#probe(node, OVERDUE_MS);
        if (isEnough()) resolve();
      });
      void Promise.all(probed).then(() => resolve());
    });
  }

  /** Probes a node now, unless that is under way. */
  probe(node: PoolNode): Promise<void> {
    return this.#probe(node, Number.POSITIVE_INFINITY);
  }

  async #probe(node: PoolNode, overdueMs: number): Promise<void> {
    const state = this.#states.get(node) ?? newState();
    this.#states.set(node, state);
    const isUnderWay = state.latest !== undefined && performance.now() - state.latest.startedMs < overdueMs;
    if (!isUnderWay) state.latest = this.#begin(node, state);
    await state.latest?.ended;
  }

  #begin(node: PoolNode, state: State): Probe {
    const ended = probeNode(node, state).finally(() => {
      if (state.latest === probe) state.latest = undefined;
      this.#probeAgain(node, state);
      this.#options.onProbed();
    });
    const probe = { startedMs: performance.now(), ended };
    return probe;
  }

  /** A node that is down may be back soon. */
  #probeAgain(node: PoolNode, state: State): void {
    if (!node.health.isOpen) {
      state.pauseMs = FIRST_PAUSE_MS;
      return;
    }
    if (!this.#isRunning || state.pauseMs >= SHORTEST_MS) return;
    setTimeout(() => this.#isRunning && void this.probe(node), state.pauseMs).unref();
    state.pauseMs *= 2;
  }

  #run(): void {
    for (const node of this.#options.nodes()) void this.probe(node);
    this.#timer = setTimeout(() => this.#isRunning && this.#run(), this.#intervalMs()).unref();
  }

  /** Several nodes are probed more often than a single one, as the choice depends on it. */
  #intervalMs(): number {
    if (this.#options.nodes().length < 2) return LONGEST_MS;
    const slotsMs = SLOTS * (this.#options.slotMs() ?? 0);
    return Math.min(Math.max(slotsMs, SHORTEST_MS), LONGEST_MS);
  }
}

function newState(): State {
  return { factsAtMs: 0, answeredFromMs: 0, latest: undefined, pauseMs: FIRST_PAUSE_MS };
}
