import { ServiceError } from '../../../core/service-error.ts';
import type { Upstream } from '../upstream.ts';
import { within } from '../pool/within.ts';
import { askNode } from './ask-node.ts';
import { orderOf, readSaidVersion, type SaidVersion } from './node-version.ts';

/** The known version of a node, and the node with its failures observed. */
export type VersionWatch = Pick<
  NodeWatch,
  'name' | 'upstream' | 'has' | 'version' | 'status' | 'start' | 'stop' | 'settled'
>;

/** The version of a node as operators see it. */
export type NodeVersionStatus = {
  readonly name: string;
  /** The version that it reports; null until it has reported one. */
  readonly version: string | null;
  readonly featureSet: number | null;
  /** True if the gateway relies on the version: its version rules then apply to the node. */
  readonly isOrdered: boolean;
  /** True if it answered the last request. */
  readonly isReachable: boolean;
};

export type NodeWatchOptions = {
  readonly name: string;
  readonly upstream: Upstream;
};

const INTERVAL_MS = 60_000;
/** Most milliseconds that a call that depends on the version waits for it. */
const SETTLED_MS = 500;
/** Equal answers in a row before a version is accepted: an address with several nodes behind it may give different ones. */
const CONFIRMATIONS = 3;
/** The same, an hour's worth, for an address that has given different answers. */
const RECONFIRMATIONS = 60;
/** After these errors a node is considered lost, and may come back as another version. */
const LOST: ReadonlySet<string> = new Set(['upstreamUnavailable', 'upstreamBroken', 'upstreamTimeout']);

/**
 * Tracks the version of one node: asked at the start, after a loss, when its WebSocket connects, and every minute. A version that
 * changes without a loss, or goes down, belongs to an address with several nodes behind it, and counts as unknown.
 */
export class NodeWatch {
  readonly name: string;
  /** The node, with its failures observed. */
  readonly upstream: Upstream;
  readonly #asked: Upstream;
  #said: SaidVersion | undefined;
  #agreeing = 0;
  #isMixed = false;
  #isLost = false;
  #hasAnswered = false;
  #wasLost = false;
  #isStopped = false;
  #refreshing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor({ name, upstream }: NodeWatchOptions) {
    this.name = name;
    this.#asked = upstream;
    this.upstream = {
      ...upstream,
      send: (request) => {
        const sent = upstream.send(request);
        sent.then(this.#isLost ? this.#noteBack : undefined, this.#noteLoss);
        return sent;
      },
    };
  }

  /** Starts asking until it is stopped; it cannot be restarted. */
  start(): void {
    if (this.#isStopped) return;
    void this.refresh();
    this.#timer = setInterval(() => void this.#ask(), INTERVAL_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /**
   * Asks again, as often as acceptance needs; the accepted version stays until an answer contradicts it. Resolves when the
   * version is known, or cannot be.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#askUntilConfirmed().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Resolves when the version is known or cannot be, or after a short wait. A node that was lost is asked first: it may have come
   * back with another version.
   */
  async settled(): Promise<void> {
    const refreshing = this.#isLost ? this.refresh() : this.#refreshing;
    if (refreshing !== undefined) await within(refreshing, SETTLED_MS);
  }

  /** Notes that the node's WebSocket was lost: the node may come back as another version. */
  lost(): void {
    this.#isLost = true;
    this.#wasLost = true;
  }

  /** True if the node supports the features of a version (`4.4`); undefined while that is unknown, as after a loss. */
  has(since: string): boolean | undefined {
    const order = this.order;
    if (order === undefined) return undefined;
    if (order < orderOf(since)) return false;
    return this.#isLost ? undefined : true;
  }

  /** A number that rises with the version; undefined while it is unknown. */
  get order(): number | undefined {
    return this.#agreeing >= (this.#isMixed ? RECONFIRMATIONS : CONFIRMATIONS)
      ? this.#said?.order
      : undefined;
  }

  /** The version that the node reported last. */
  get version(): string | undefined {
    return this.#said?.version;
  }

  status(): NodeVersionStatus {
    const { version = null, featureSet = null } = this.#said ?? {};
    const isReachable = this.#hasAnswered && !this.#isLost;
    return { name: this.name, version, featureSet, isOrdered: this.order !== undefined, isReachable };
  }

  async #askUntilConfirmed(): Promise<void> {
    for (let time = 0; time < CONFIRMATIONS && !this.#isStopped; time++) if (!(await this.#ask())) return;
  }

  /** @returns true if the node answered. */
  async #ask(): Promise<boolean> {
    try {
      const answer = await askNode(this.#asked, 'getVersion');
      this.#hasAnswered = true;
      const said = readSaidVersion(answer);
      if (said === undefined) {
        this.#said = undefined;
        this.#agreeing = 0;
        return false;
      }
      this.#take(said);
      return true;
    } catch (error) {
      this.#noteLoss(error);
      return false;
    }
  }

  #take(said: SaidVersion): void {
    const before = this.#said;
    this.#said = said;
    if (before === undefined || (before.version === said.version && before.featureSet === said.featureSet)) {
      this.#agreeing++;
    } else {
      const isUpgraded = this.#wasLost && (said.order ?? 0) >= (before.order ?? 0);
      if (!isUpgraded) this.#isMixed = true;
      this.#agreeing = 1;
    }
    this.#wasLost = false;
    this.#isLost = false;
  }

  readonly #noteLoss = (error: unknown): void => {
    if (!(error instanceof ServiceError) || !LOST.has(error.code)) return;
    this.lost();
  };

  readonly #noteBack = (): void => {
    if (!this.#isLost) return;
    this.#isLost = false;
    void this.refresh();
  };
}
