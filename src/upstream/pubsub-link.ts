import { toServiceError } from '../base/service-error.ts';
import { NodeTurns, type PubsubRank, type Stay } from './node-turns.ts';
import { pause } from './pool/within.ts';
import { LOOK_MS, NOT_REACHED, reachNode } from './reach-node.ts';
import type { NodeWatch } from './nodes/node-watch.ts';
import type { Upstream } from './upstream.ts';
import { NOT_SERVED, openPubsub } from './open-pubsub.ts';
import {
  isUnanswered,
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
  /** Called with the genesis hash that it said. */
  readonly noteGenesis?: (hash: string) => void;
  /** Aborted when it is not used any more: it is left for another one. */
  readonly left?: AbortSignal;
  /** True once it is known to have another chain than its network: it is left. */
  readonly isForeign?: () => boolean;
};

export type NodeKnowledge = Pick<NodeWatch, 'has' | 'order' | 'version' | 'refresh' | 'settled' | 'lost'>;

/** A connected node. */
export type PubsubSession = {
  readonly connection: PubsubConnection;
  readonly upstream: Upstream;
  readonly known: NodeKnowledge;
  /** Called with the genesis hash that it said. */
  readonly noteGenesis?: PubsubNode['noteGenesis'] | undefined;
  /** The node's slot subscription, which the link uses as a sign of life. */
  readonly slots: SlotFeed;
  /** Returns the last slot that it announced; undefined before the first one. All earlier messages have arrived. */
  readonly newestSlot: () => number | undefined;
  /** Resolves when it has announced its first slot, or is lost. */
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

/** A connection on which the node has accepted the link's slot subscription. */
type Reached = { readonly connection: PubsubConnection; readonly watch: ReturnType<typeof watchSlots> };

/**
 * The WebSocket to the nodes of a network: one connection at a time. A lost connection is reopened, at another node at once if
 * there is one, otherwise after the pause of the node: one that is lost again and again is asked at most once per slot. While a node
 * takes long to be reached, the next one is tried as well.
 */
export class PubsubLink {
  readonly #options: PubsubLinkOptions;
  #run: Promise<void> | undefined;
  #connection: PubsubConnection | undefined;
  #stop = new AbortController();
  readonly #turns = new NodeTurns();

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
    const { nodes, onFailure } = this.#options;
    const turns = this.#turns;
    turns.restart();
    const ways = {
      ...{ nodes, turns, onFailure },
      reach: (node: PubsubNode, over: AbortSignal) => this.#reach(node, over),
      release: ({ connection, watch }: Reached) => {
        watch.stop();
        connection.end('stopped');
      },
    };
    while (!signal.aborted) {
      await Promise.all(
        nodes()
          .filter(isSound)
          .map(({ known }) => known.settled()),
      );
      const found = await reachNode(ways, signal);
      if (found === undefined) return;
      const stay = await this.#stayAt(found.node, found.reached, signal).catch((error: unknown) => {
        onFailure(toServiceError(error));
        return NOT_REACHED;
      });
      if (!signal.aborted) turns.lose(found.node, stay);
    }
  }

  /** Connects to a node and subscribes to its slots. */
  async #reach(node: PubsubNode, over: AbortSignal): Promise<Reached> {
    const connection = await this.#open(node, over);
    const leave = (): void => connection.end('stopped');
    over.addEventListener('abort', leave);
    if (over.aborted) leave();
    const watch = watchSlots(connection, this.#options, node);
    try {
      await watch.subscribed;
      return { connection, watch };
    } catch (error) {
      watch.stop();
      connection.end('closed');
      noteLoss(node, await connection.ended);
      throw error;
    } finally {
      over.removeEventListener('abort', leave);
    }
  }

  /** Stays at a node until the connection has ended. */
  async #stayAt(
    { upstream, known, ...node }: PubsubNode,
    { connection, watch }: Reached,
    signal: AbortSignal,
  ): Promise<Stay> {
    if (signal.aborted) connection.end('stopped');
    else this.#connection = connection;
    const leave = (): void => void this.#leave(connection);
    node.left?.addEventListener('abort', leave);
    if (node.left?.aborted === true) leave();
    const { slots, newestSlot, newestRoot, hasAnnounced } = watch;
    const { noteGenesis } = node;
    const session = { connection, upstream, known, noteGenesis, slots, newestSlot, newestRoot, hasAnnounced };
    void known.refresh();
    await known.settled();
    const isUp = connection.isOpen;
    let isServing = false;
    if (isUp)
      this.#options.onUp(session).then(
        () => {
          isServing = connection.isOpen;
        },
        (error: unknown) => {
          this.#options.onFailure(toServiceError(error));
          connection.end('closed');
        },
      );
    const loss = await connection.ended;
    watch.stop();
    node.left?.removeEventListener('abort', leave);
    noteLoss({ ...node, known }, loss);
    if (isUp) this.#options.onDown(loss, session);
    const toldSlots = newestSlot() !== undefined;
    return { toldSlots, served: isServing && toldSlots };
  }

  /** Leaves a node that is not used any more as soon as there is another one. */
  async #leave(connection: PubsubConnection): Promise<void> {
    while (connection.isOpen && this.#options.nodes().length === 0) await pause(LOOK_MS);
    connection.end('stopped');
  }

  /** A node that leaves a subscribe call unanswered is as silent as one that announces no slots. */
  async #open({ addresses, onMessage }: PubsubNode, over: AbortSignal): Promise<PubsubConnection> {
    const { silenceMs, patienceMs } = this.#options;
    const callTimeoutMs = Math.min(this.#options.callTimeoutMs, silenceMs());
    const limits = { callTimeoutMs, patienceMs: Math.min(callTimeoutMs, patienceMs()) };
    for (const address of addresses) {
      const opened = await openPubsub(address, { ...this.#options, ...limits, onMessage, over });
      if (opened !== NOT_SERVED) return opened;
    }
    throw new Error('the node takes no WebSocket');
  }
}

/** A node that is not sound may leave the request for its version unanswered: nobody waits for it. */
function isSound({ rank }: PubsubNode): boolean {
  return rank?.isHealthy !== false;
}

function noteLoss({ known, noteSilence }: Pick<PubsubNode, 'known' | 'noteSilence'>, loss: PubsubLoss): void {
  if (loss !== 'stopped') known.lost();
  if (loss === 'silent') noteSilence?.();
}

type SlotNotice = { readonly slot?: unknown; readonly root?: unknown };

/** Looks at a connection in the time that it may be silent, as that is when it is made. */
const LOOKS = 4;

/**
 * Subscribes to slots, and ends a connection that announces none for too long. That time is counted in looks: what a node announced
 * while this process stood still is read after the first of them.
 */
function watchSlots(
  connection: PubsubConnection,
  { silenceMs, onSlot }: Pick<PubsubLinkOptions, 'silenceMs' | 'onSlot'>,
  { isForeign = () => false }: Pick<PubsubNode, 'isForeign'>,
) {
  const takers = new Set<OnNotification>();
  let quietLooks = 0;
  let newestSlot: number | undefined;
  let newestRoot: number | undefined;
  const announced = Promise.withResolvers<void>();
  void connection.ended.then(() => announced.resolve());
  const hear = (result: Buffer): void => {
    quietLooks = 0;
    if (isForeign()) connection.end('closed');
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
  const everyMs = silenceMs() / LOOKS;
  const timer = setInterval(() => {
    quietLooks += 1;
    if (quietLooks * everyMs > silenceMs()) connection.end('silent');
    else connection.ping();
  }, everyMs);
  const stop = (): void => clearInterval(timer);
  return {
    ...{ subscribed, slots: { takers }, stop, hasAnnounced: announced.promise },
    newestSlot: () => newestSlot,
    newestRoot: () => newestRoot,
  };
}
