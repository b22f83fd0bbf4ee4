import { setTimeout as pause } from 'node:timers/promises';
import { ServiceError } from '../../base/service-error.ts';
import type { Upstream } from '../upstream.ts';
import { askNode } from './ask-node.ts';
import { orderOf, readSaidVersion, type SaidVersion } from './node-version.ts';

/** A node as operators see it. */
export type NodeStatus = {
  readonly name: string;
  /** As it says; null while it has not said it. */
  readonly version: string | null;
  readonly featureSet: number | null;
  /** Whether the gateway goes by the version: whatever the specification says of versions then holds of the node. */
  readonly isOrdered: boolean;
};

export type NodeWatchOptions = {
  readonly name: string;
  readonly upstream: Upstream;
};

const INTERVAL_MS = 60_000;
/** How long what needs the version waits for it. */
const SETTLED_MS = 500;
/** So many equal answers in a row are believed: an address with several nodes behind it may give different ones. */
const BELIEVED = 3;
/** So many, an hour's worth, of an address that has said one thing and another. */
const BELIEVED_AGAIN = 60;
/** By these a node was lost, and may come back as another version. */
const LOST: ReadonlySet<string> = new Set(['upstreamUnavailable', 'upstreamBroken', 'upstreamTimeout']);

/**
 * What is known of the version of one node: asked at the start, after the node was lost, when its WebSocket is up, and every minute. One that changes
 * without a loss, or falls, is that of an address with several nodes behind it, and unknown.
 */
export class NodeWatch {
  readonly name: string;
  /** The node; whether its calls fail is seen. */
  readonly upstream: Upstream;
  readonly #asked: Upstream;
  #said: SaidVersion | undefined;
  #agreeing = 0;
  #isMixed = false;
  #isLost = false;
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

  /** Asks from now on, until it is stopped; not after that. */
  start(): void {
    if (this.#isStopped) return;
    void this.refresh();
    this.#timer = setInterval(() => void this.#ask(), INTERVAL_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#timer);
  }

  /** Asks anew, as often as is believed; what was believed holds until an answer says otherwise. Resolves when it is known, or cannot be. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#askAnew().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Resolves when it is known, or cannot be, and a moment later at the latest. A node that was lost is asked: it may have come back as another
   * version.
   */
  async settled(): Promise<void> {
    const refreshing = this.#isLost ? this.refresh() : this.#refreshing;
    if (refreshing === undefined) return;
    const waiting = new AbortController();
    await Promise.race([refreshing, pause(SETTLED_MS, undefined, { signal: waiting.signal })]).finally(() =>
      waiting.abort(),
    );
  }

  /** Notes that the WebSocket of the node was lost: it may come back as another version. */
  lost(): void {
    this.#isLost = true;
    this.#wasLost = true;
  }

  /** Whether the node has what came with a version (`4.4`); undefined where that is not known, as of a node that is lost. */
  has(since: string): boolean | undefined {
    const order = this.order;
    if (order === undefined) return undefined;
    if (order < orderOf(since)) return false;
    return this.#isLost ? undefined : true;
  }

  /** Rises with the version; undefined where it is not known. */
  get order(): number | undefined {
    return this.#agreeing >= (this.#isMixed ? BELIEVED_AGAIN : BELIEVED) ? this.#said?.order : undefined;
  }

  /** The version as the node said it last. */
  get version(): string | undefined {
    return this.#said?.version;
  }

  status(): NodeStatus {
    const { version = null, featureSet = null } = this.#said ?? {};
    return { name: this.name, version, featureSet, isOrdered: this.order !== undefined };
  }

  async #askAnew(): Promise<void> {
    for (let time = 0; time < BELIEVED && !this.#isStopped; time++) if (!(await this.#ask())) return;
  }

  /** @returns whether it said something. */
  async #ask(): Promise<boolean> {
    try {
      const said = readSaidVersion(await askNode(this.#asked, 'getVersion'));
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
