import { WebSocket } from 'ws';
import { toServiceError, serviceError } from '../../core/service-error.ts';
import { NodeTurns, type PubsubRank, type Stay, nameOf, type TurnNode } from './node-turns.ts';
import { pause } from './pool/within.ts';
import type { NodeWatch } from './network/node-watch.ts';
import type { Upstream } from './upstream.ts';
import {
  isUnanswered,
  PubsubConnection,
  type PubsubLoss,
  type PubsubOptions,
  type OnMessage,
  type OnNotification,
  type ConnectionOptions,
} from './pubsub-connection.ts';

/** A node for subscriptions: its WebSocket, and the calls that backfill missed notifications. */
export type PubsubNode = {
  /** The addresses to try for its WebSocket, in order. */
  readonly addresses: readonly string[];
  readonly upstream: Upstream;
  /** Observes the messages on its WebSocket. */
  readonly onMessage?: OnMessage;
  /** The knowledge of its version, which is refreshed when it connects. */
  readonly known: NodeKnowledge;
  /** Its rank for subscriptions; absent: as good as any. */
  readonly rank?: PubsubRank;
  /** Called when its WebSocket was given up because it was silent. */
  readonly noteSilence?: () => void;
  /** Called with the genesis hash that it reported. */
  readonly noteGenesis?: (hash: string) => void;
  /** Aborted when the node is no longer used: the link moves to another one. */
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
  /** Called with the genesis hash that it reported. */
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
  /** Returns the current nodes, empty at times: an embedded ledger comes back at another address. */
  readonly nodes: () => readonly PubsubNode[];
  /** Returns the most milliseconds between two slots of a node. */
  readonly silenceMs: () => number;
  /** Returns the milliseconds after which an unanswered call goes to another node; infinite without another node. */
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
 * The WebSocket to the nodes of a network: one connection at a time. A lost connection is reopened: at once at another node,
 * otherwise after the pause of the node, so that one that keeps failing is tried at most once per slot. While a node is slow to
 * connect, the next one is tried as well.
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
      nodes,
      turns,
      onFailure,
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

  /** Leaves a node that is no longer used as soon as another one is available. */
  async #leave(connection: PubsubConnection): Promise<void> {
    while (connection.isOpen && this.#options.nodes().length === 0) await pause(LOOK_MS);
    connection.end('stopped');
  }

  /** A node that leaves a subscribe call unanswered counts as silent, like one that announces no slots. */
  async #open({ addresses, onMessage }: PubsubNode, over: AbortSignal): Promise<PubsubConnection> {
    const { silenceMs, patienceMs } = this.#options;
    const callTimeoutMs = Math.min(this.#options.callTimeoutMs, silenceMs());
    const limits = { callTimeoutMs, patienceMs: Math.min(callTimeoutMs, patienceMs()) };
    for (const address of addresses) {
      const opened = await openPubsub(address, { ...this.#options, ...limits, onMessage, over });
      if (opened !== NOT_SERVED) return opened;
    }
    throw new Error('the node does not accept WebSocket connections');
  }
}

/** An unhealthy node may never answer the version request, so the link does not wait for it. */
function isSound({ rank }: PubsubNode): boolean {
  return rank?.isHealthy !== false;
}

function noteLoss({ known, noteSilence }: Pick<PubsubNode, 'known' | 'noteSilence'>, loss: PubsubLoss): void {
  if (loss !== 'stopped') known.lost();
  if (loss === 'silent') noteSilence?.();
}

type SlotNotice = { readonly slot?: unknown; readonly root?: unknown };

/** The number of checks of a connection within the time that it may be silent. */
const LOOKS = 4;

/**
 * Subscribes to slots, and ends a connection that announces none for too long. The time is counted in checks: announcements that
 * arrived while this process stood still are read after the first check.
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
      if (answer.kind === 'refused') throw new Error(`the node refused slotSubscribe: ${answer.error}`);
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
    subscribed,
    slots: { takers },
    stop,
    hasAnnounced: announced.promise,
    newestSlot: () => newestSlot,
    newestRoot: () => newestRoot,
  };
}

type OpenOptions = ConnectionOptions & {
  /** Aborted when the connection is no longer wanted while it is being opened. */
  readonly over?: AbortSignal;
};

/** The largest notification: an account of 10 MiB as base64, or a block, with room to spare. */
const MAX_MESSAGE_BYTES = 128 * 1024 * 1024;
/** The node answered the request for a WebSocket with something else. */
export const NOT_SERVED = 'notServed';

/**
 * Opens a WebSocket to a node.
 *
 * @returns the connection, or `notServed` if the node answers at this address but has no WebSocket there.
 * @throws ServiceError `upstreamUnavailable`.
 */
export function openPubsub(
  url: string,
  { over, ...options }: OpenOptions,
): Promise<PubsubConnection | typeof NOT_SERVED> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      handshakeTimeout: options.connectTimeoutMs,
      maxPayload: MAX_MESSAGE_BYTES,
    });
    const leave = (): void => socket.terminate();
    const forget = (): void => over?.removeEventListener('abort', leave);
    over?.addEventListener('abort', leave);
    socket.once('unexpected-response', (request) => {
      forget();
      resolve(NOT_SERVED);
      request.destroy();
    });
    socket.once('open', () => {
      forget();
      resolve(new PubsubConnection(socket, options));
    });
    socket.on('error', (error) => {
      forget();
      reject(serviceError('upstreamUnavailable', {}, error));
    });
    if (over?.aborted === true) leave();
  });
}

type ReachOptions<Each extends TurnNode, Reached> = {
  /** Returns the current nodes. */
  readonly nodes: () => readonly Each[];
  readonly turns: NodeTurns;
  /** Connects to a node. Rejects soon after its signal is aborted. */
  readonly reach: (node: Each, signal: AbortSignal) => Promise<Reached>;
  /** Releases a connection that was established after another node was reached. */
  readonly release: (reached: Reached) => void;
  /** Called for each node that could not be reached. */
  readonly onFailure: (error: unknown) => void;
};

const NOT_REACHED: Stay = { toldSlots: false, served: false };
/** A node is reached in five round trips. After this long the next one is tried as well. */
const HURRY_MS = 500;
/** The interval between looks for a node while none is due. */
const LOOK_MS = 100;
const LEAST_LOOK_MS = 10;

/**
 * Connects to the best node that can be reached: the next one is tried when one fails or takes long. The first that is reached
 * counts, and the others are released.
 *
 * @returns undefined if `signal` was aborted before one was reached.
 */
async function reachNode<Each extends TurnNode, Reached>(
  { nodes, turns, reach, release, onFailure }: ReachOptions<Each, Reached>,
  signal: AbortSignal,
): Promise<{ readonly node: Each; readonly reached: Reached } | undefined> {
  const beaten = new AbortController();
  const over = AbortSignal.any([signal, beaten.signal]);
  const trying = new Set<string>();
  let first: { readonly node: Each; readonly reached: Reached } | undefined;
  let wake = (): void => undefined;
  const stop = (): void => wake();
  signal.addEventListener('abort', stop);
  const begin = (node: Each): void => {
    trying.add(nameOf(node));
    reach(node, over)
      .then(
        (reached) => {
          if (over.aborted || first !== undefined) release(reached);
          else first = { node, reached };
        },
        (error: unknown) => {
          if (over.aborted) return;
          onFailure(toServiceError(error));
          turns.lose(node, NOT_REACHED);
        },
      )
      .finally(() => {
        trying.delete(nameOf(node));
        wake();
      });
  };
  while (!signal.aborted && first === undefined) {
    const node = turns.next(nodes(), trying);
    if (node !== undefined) begin(node);
    const free = nodes().filter((each) => !trying.has(nameOf(each)));
    const lookMs = Math.min(Math.max(turns.waitMs(free), LEAST_LOOK_MS), LOOK_MS);
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, node === undefined ? lookMs : HURRY_MS);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
  signal.removeEventListener('abort', stop);
  beaten.abort();
  return first;
}
