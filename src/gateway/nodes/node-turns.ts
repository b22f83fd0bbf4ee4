/** The rank of a node for subscriptions: healthy ones come first, and among those of equal version one that is ahead. */
export type PubsubRank = { readonly isHealthy: boolean; readonly lagSlots: number };

/** A node as it is chosen. */
export type TurnNode = {
  readonly addresses: readonly string[];
  readonly rank?: PubsubRank;
  /** Its place among the versions; absent: not known. */
  readonly known: { readonly order?: number | undefined };
};

/** A node is not connected to before `dueMs`; the pause after the next loss is `nextMs`. */
type Pause = { readonly dueMs: number; readonly nextMs: number };

/** The use of a connection that has ended: it announced a slot, and perhaps served subscriptions. */
export type Stay = { readonly toldSlots: boolean; readonly served: boolean };

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;
const ANY_RANK: PubsubRank = { isHealthy: true, lagSlots: 0 };

/**
 * Chooses the node to connect to. A lost node has its own pause, which doubles from 50 ms to 1 s and starts again at 50 ms after a
 * connection that announced a slot; the other nodes are tried meanwhile. The chooser waits for a healthy node that has just served
 * only if the others are not healthy: its pause is short, and they may be far behind.
 */
export class NodeTurns {
  readonly #pauses = new Map<string, Pause>();
  /** The nodes that were lost, or could not be reached, since one has served. */
  readonly #passed = new Set<string>();
  /** The node that served last, until it is connected to again. */
  #served: string | undefined;

  /**
   * Returns the best node that is due and not being tried, preferring those not passed since one has served; undefined if no node is
   * due. An unhealthy node has no turn while a healthy one is tried.
   */
  next<Each extends TurnNode>(
    nodes: readonly Each[],
    trying: ReadonlySet<string> = new Set(),
  ): Each | undefined {
    this.#forgetOthers(new Set(nodes.map(nameOf)));
    if (nodes.every((each) => this.#passed.has(nameOf(each)))) this.#passed.clear();
    const free = inOrder(nodes).filter((each) => !trying.has(nameOf(each)));
    const isHealthTried = nodes.some((each) => isHealthy(each) && trying.has(nameOf(each)));
    const allowed = isHealthTried ? free.filter(isHealthy) : free;
    const node = this.#pick(allowed);
    if (node === undefined) return undefined;
    this.#passed.add(nameOf(node));
    if (nameOf(node) === this.#served) this.#served = undefined;
    return node;
  }

  #pick<Each extends TurnNode>(inOrder: readonly Each[]): Each | undefined {
    const due = inOrder.filter((each) => this.#waitMs(each) <= 0);
    const allowed = this.#back(inOrder) === undefined ? due : due.filter(isHealthy);
    return allowed.find((each) => !this.#passed.has(nameOf(each))) ?? allowed[0];
  }

  /** The healthy node that has just served. */
  #back<Each extends TurnNode>(nodes: readonly Each[]): Each | undefined {
    return nodes.find((each) => nameOf(each) === this.#served && isHealthy(each));
  }

  /** Forgets which nodes were passed: the best one is next. */
  restart(): void {
    this.#passed.clear();
  }

  /** Returns the milliseconds until the next node is due; without one, until the next look. */
  waitMs(nodes: readonly TurnNode[]): number {
    if (nodes.length === 0) return FIRST_PAUSE_MS;
    const awaited = this.#back(nodes) === undefined ? nodes : nodes.filter(isHealthy);
    return Math.max(0, Math.min(...awaited.map((each) => this.#waitMs(each))));
  }

  /** Records that a connection has ended, or could not be made. */
  lose(node: TurnNode, { toldSlots, served }: Stay): void {
    const name = nameOf(node);
    const pauseMs = toldSlots ? FIRST_PAUSE_MS : (this.#pauses.get(name)?.nextMs ?? FIRST_PAUSE_MS);
    const dueMs = performance.now() + pauseMs * (0.75 + Math.random() / 2);
    this.#pauses.set(name, { dueMs, nextMs: Math.min(2 * pauseMs, MAX_PAUSE_MS) });
    if (!served) return;
    this.#passed.clear();
    this.#passed.add(name);
    this.#served = name;
  }

  #waitMs(node: TurnNode): number {
    return (this.#pauses.get(nameOf(node))?.dueMs ?? -Infinity) - performance.now();
  }

  /** An embedded ledger comes back at another address. */
  #forgetOthers(names: ReadonlySet<string>): void {
    for (const name of this.#pauses.keys()) if (!names.has(name)) this.#pauses.delete(name);
    for (const name of this.#passed) if (!names.has(name)) this.#passed.delete(name);
  }
}

/** Returns a name that identifies a node while its addresses stay the same. */
export function nameOf({ addresses }: Pick<TurnNode, 'addresses'>): string {
  return addresses.join(' ');
}

function isHealthy({ rank = ANY_RANK }: TurnNode): boolean {
  return rank.isHealthy;
}

/** Sorts healthy nodes first, then newer versions (they support more; unknown versions last), then the node that is ahead. */
export function inOrder<Each extends Pick<TurnNode, 'rank' | 'known'>>(
  nodes: readonly Each[],
): readonly Each[] {
  return nodes.toSorted((a, b) => {
    const [ofA, ofB] = [a.rank ?? ANY_RANK, b.rank ?? ANY_RANK];
    return (
      Number(ofB.isHealthy) - Number(ofA.isHealthy) ||
      (b.known.order ?? -1) - (a.known.order ?? -1) ||
      ofA.lagSlots - ofB.lagSlots
    );
  });
}
