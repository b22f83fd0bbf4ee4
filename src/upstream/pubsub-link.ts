import { setTimeout as pause } from 'node:timers/promises';
import { toServiceError } from '../base/service-error.ts';
import type { NodeWatch } from './nodes/node-watch.ts';
import type { Upstream } from './upstream.ts';
import {
  isUnanswered,
  NOT_SERVED,
  openPubsub,
  type PubsubConnection,
  type PubsubLoss,
  type PubsubOptions,
  type OnMessage,
  type OnNotification,
} from './pubsub-connection.ts';

/** A node as subscriptions need it: its WebSocket, and the calls that backfill what was missed. */
export type PubsubNode = {
  /** The addresses to try for its WebSocket, in order. */
  readonly addresses: readonly string[];
  readonly upstream: Upstream;
  /** Observes the messages on its WebSocket. */
  readonly onMessage?: OnMessage;
  /** The knowledge of its version, which is refreshed when it connects. */
  readonly known: NodeKnowledge;
  /** How good it is for subscriptions; absent: as good as any. */
  readonly rank?: PubsubRank;
  /** Called when its WebSocket was given up because it was silent. */
  readonly noteSilence?: () => void;
};

/** How good a node is for subscriptions: healthy ones come first, and among those of equal version one that is ahead. */
export type PubsubRank = { readonly isHealthy: boolean; readonly lagSlots: number };

export type NodeKnowledge = Pick<NodeWatch, 'has' | 'order' | 'version' | 'refresh' | 'settled' | 'lost'>;

/** A connected node. */
export type PubsubSession = {
  readonly connection: PubsubConnection;
  readonly upstream: Upstream;
  readonly known: NodeKnowledge;
  /** The node's slot subscription, which the link uses as a sign of life. */
  readonly slots: SlotFeed;
  /** Returns the last slot that it announced; undefined before the first one. All earlier messages have arrived. */
  readonly newestSlot: () => number | undefined;
  /** Resolves when it has announced its first slot. */
  readonly hasAnnounced: Promise<void>;
  /** Returns the last root that it announced. */
  readonly newestRoot: () => number | undefined;
};

/** The link's own slot subscription, which others may share. */
export type SlotFeed = { readonly takers: Set<OnNotification> };

export type PubsubLinkOptions = PubsubOptions & {
  /** Returns the current nodes: an embedded ledger comes back at another address. Empty while there is none. */
  readonly nodes: () => readonly PubsubNode[];
  /** Returns the most milliseconds between two slots of a node. */
  readonly silenceMs: () => number;
  /** Returns the milliseconds after which a call that is not answered goes to another node; infinite if there is none. */
  readonly patienceMs: () => number;
  /** Called for each slot that is announced. */
  readonly onSlot: (slot: number) => void;
  /** Called for each connection. A rejection ends the connection. */
  readonly onUp: (session: PubsubSession) => Promise<void>;
  readonly onDown: (loss: PubsubLoss, session: PubsubSession) => void;
  /** Called for each failure, including failures to connect. */
  readonly onFailure: (error: unknown) => void;
};

const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 5_000;

/**
 * The WebSocket to the nodes of a network: one connection at a time. A lost connection is reopened, at the next node if there
 * are several, after a pause that doubles from 50 ms to 5 s. The pause starts again at 50 ms after a connection that announced
 * a slot: a node that is lost again and again is asked at most once per slot.
 */
export class PubsubLink {
  readonly #options: PubsubLinkOptions;
  #run: Promise<void> | undefined;
  #connection: PubsubConnection | undefined;
  #stop = new AbortController();
  /** The nodes that were lost, or could not be reached, since one has served. */
  readonly #passed = new Set<string>();

  constructor(options: PubsubLinkOptions) {
    this.#options = options;
  }

  start(): void {
    if (this.#run !== undefined) return;
    this.#stop = new AbortController();
    this.#run = this.#keepConnected(this.#stop.signal);
  }

  async stop(): Promise<void> {
    const run = this.#run;
    this.#run = undefined;
    this.#stop.abort();
    this.#connection?.end('stopped');
    await run;
  }

  async #keepConnected(signal: AbortSignal): Promise<void> {
    let backoffMs = FIRST_BACKOFF_MS;
    while (!signal.aborted) {
      if (this.#options.nodes().length === 0) backoffMs = FIRST_BACKOFF_MS;
      const toldSlots = await this.#connectOnce(signal).catch((error: unknown) => {
        this.#options.onFailure(toServiceError(error));
        return false;
      });
      if (toldSlots) backoffMs = FIRST_BACKOFF_MS;
      await pause(backoffMs * (0.75 + Math.random() / 2), undefined, { signal }).catch(() => undefined);
      backoffMs = Math.min(2 * backoffMs, MAX_BACKOFF_MS);
    }
  }

  /** Connects to the next node in turn, and stays until that connection has ended. @returns true if it announced slots. */
  async #connectOnce(signal: AbortSignal): Promise<boolean> {
    await Promise.all(this.#options.nodes().map(({ known }) => known.settled()));
    const node = this.#next();
    if (node === undefined) return false;
    const { upstream, known } = node;
    const connection = await this.#open(node);
    if (connection === undefined) return false;
    if (signal.aborted) connection.end('stopped');
    else this.#connection = connection;
    const watch = watchSlots(connection, this.#options);
    const { slots, newestSlot, newestRoot, hasAnnounced } = watch;
    const session = { connection, upstream, known, slots, newestSlot, newestRoot, hasAnnounced };
    let isUp = false;
    try {
      await watch.subscribed;
      void known.refresh();
      await known.settled();
      if (!connection.isOpen) return newestSlot() !== undefined;
      isUp = true;
      let isServing = false;
      this.#options.onUp(session).then(
        () => {
          isServing = connection.isOpen;
        },
        (error: unknown) => {
          this.#options.onFailure(toServiceError(error));
          connection.end('closed');
        },
      );
      await connection.ended;
      const toldSlots = newestSlot() !== undefined;
      if (isServing && toldSlots) {
        this.#passed.clear();
        this.#passed.add(nameOf(node));
      }
      return toldSlots;
    } finally {
      watch.stop();
      connection.end('closed');
      const loss = await connection.ended;
      if (loss !== 'stopped') known.lost();
      if (loss === 'silent') node.noteSilence?.();
      if (isUp) this.#options.onDown(loss, session);
    }
  }

  /** The best node that was not passed since one has served; all are tried again when each was passed. */
  #next(): PubsubNode | undefined {
    const nodes = inOrder(this.#options.nodes());
    if (nodes.every((each) => this.#passed.has(nameOf(each)))) this.#passed.clear();
    const node = nodes.find((each) => !this.#passed.has(nameOf(each)));
    if (node !== undefined) this.#passed.add(nameOf(node));
    return node;
  }

  /** A node that leaves a subscribe call unanswered is as silent as one that announces no slots. */
  async #open({ addresses, onMessage }: PubsubNode): Promise<PubsubConnection | undefined> {
    const { silenceMs, patienceMs } = this.#options;
    const callTimeoutMs = Math.min(this.#options.callTimeoutMs, silenceMs());
    const limits = { callTimeoutMs, patienceMs: Math.min(callTimeoutMs, patienceMs()) };
    for (const address of addresses) {
      const opened = await openPubsub(address, { ...this.#options, ...limits, onMessage });
      if (opened !== NOT_SERVED) return opened;
    }
    throw new Error('the node takes no WebSocket');
  }
}

function nameOf({ addresses }: PubsubNode): string {
  return addresses.join(' ');
}

type Ranked = Pick<PubsubNode, 'rank'> & { readonly known: Pick<NodeKnowledge, 'order'> };

/** Healthy ones first; then the newest, as it supports the most, and unknown versions last; then the one that is ahead. */
export function inOrder<Node extends Ranked>(nodes: readonly Node[]): readonly Node[] {
  return nodes.toSorted((a, b) => {
    const [ofA, ofB] = [a.rank ?? ANY_RANK, b.rank ?? ANY_RANK];
    return (
      Number(ofB.isHealthy) - Number(ofA.isHealthy) ||
      (b.known.order ?? -1) - (a.known.order ?? -1) ||
      ofA.lagSlots - ofB.lagSlots
    );
  });
}

const ANY_RANK: PubsubRank = { isHealthy: true, lagSlots: 0 };

type SlotNotice = { readonly slot?: unknown; readonly root?: unknown };

/** Subscribes to slots, and ends a connection that announces none for too long. */
function watchSlots(
  connection: PubsubConnection,
  { silenceMs, onSlot }: Pick<PubsubLinkOptions, 'silenceMs' | 'onSlot'>,
) {
  const takers = new Set<OnNotification>();
  let heardMs = performance.now();
  let newestSlot: number | undefined;
  let newestRoot: number | undefined;
  const announced = Promise.withResolvers<void>();
  const hear = (result: Buffer): void => {
    heardMs = performance.now();
    const { slot, root } = (JSON.parse(result.toString()) ?? {}) as SlotNotice;
    if (typeof root === 'number') newestRoot = root;
    if (typeof slot === 'number') {
      newestSlot = slot;
      announced.resolve();
      onSlot(slot);
    }
    for (const take of takers) take(result);
  };
  const subscribed = connection.subscribe('slotSubscribe', '[]', hear, 'slotSubscribe').then(
    (answer) => {
      if (answer.kind === 'refused') throw new Error(`slotSubscribe is refused: ${answer.error}`);
    },
    (error: unknown) => {
      if (isUnanswered(error)) connection.end('silent');
      throw error;
    },
  );
  const timer = setInterval(() => {
    if (performance.now() - heardMs > silenceMs()) connection.end('silent');
    else connection.ping();
  }, silenceMs() / 4);
  const stop = (): void => clearInterval(timer);
  return {
    ...{ subscribed, slots: { takers }, stop, hasAnnounced: announced.promise },
    newestSlot: () => newestSlot,
    newestRoot: () => newestRoot,
  };
}
