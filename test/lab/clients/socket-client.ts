import type { Commitment } from '../../../src/core/rpc/commitment.ts';
import { openSocket, type SocketClient } from '../../support/socket-client.ts';
import { SlotSequence } from '../checks/slots.ts';
import { type LabGateway, servingGateway } from '../gateways/lab-gateway.ts';
import type { ClientDeps } from './client-deps.ts';
import { ADDRESS, drawRead, type ReadStep, ShownSlots, slotOf } from './read-step.ts';

const NONE_SERVES_MS = 50;
const BETWEEN_MS = 60;
/** The longest time that a socket is kept: opening is tried too. */
const LIFE_MS = 60_000;
/** Subscriptions move to another node when theirs falls silent: `upstream.ws_silence_ms`, and the time to notice it, twice. */
const SILENCES = 3;

type Subscription = { readonly sequence: SlotSequence; readonly at: Commitment; lastMs: number };

/** A client over WebSocket: two subscriptions whose slots follow one another, and reads meanwhile. Opens a new socket where one ends. */
export async function runSocketClient(
  deps: ClientDeps & { readonly silenceMs: number },
  name: string,
): Promise<void> {
  const { gateways, over, pause, random } = deps;
  for (let turn = random(gateways.length); !over.aborted; turn++) {
    const gateway = servingGateway(gateways, turn);
    if (gateway === undefined) await pause(NONE_SERVES_MS);
    else await useSocket(deps, gateway, `${name}-${turn}`);
  }
}

async function useSocket(
  deps: ClientDeps & { readonly silenceMs: number },
  gateway: LabGateway,
  session: string,
): Promise<void> {
  const { over, pause } = deps;
  const before = gateway.disturbances();
  const isUndisturbed = (): boolean => gateway.disturbances() === before;
  const heard = new HeardSlots(deps, `${session} at ${gateway.name}`);
  await withSocket(deps, gateway, { session, heard }, async (socket) => {
    await heard.subscribe(socket, 'slotSubscribe');
    await heard.subscribe(socket, 'accountSubscribe');
    const untilMs = performance.now() + LIFE_MS;
    const isOpen = (): boolean => socket.socket.readyState === socket.socket.OPEN;
    while (!over.aborted && isUndisturbed() && isOpen() && performance.now() < untilMs) {
      await readOver(deps, socket, { heard, step: drawRead(deps.random) });
      heard.judgeSilence(deps.silenceMs * SILENCES);
      await pause(BETWEEN_MS);
    }
    if (!isOpen() && isUndisturbed()) throw new Error('the socket was closed');
  });
  heard.end();
}

/** The close code of a gateway that is stopped in order: calls in flight there were not taken. */
const GOODBYE = 1001;

/** Uses a socket at a gateway, which has to serve it as long as nothing of its own disturbs the gateway; one that is retired says goodbye. */
export async function withSocket(
  { findings, timeline, over, apiKey, readMs }: ClientDeps,
  gateway: LabGateway,
  { session, heard }: { readonly session: string; readonly heard: HeardSlots },
  use: (socket: SocketClient) => Promise<void>,
): Promise<void> {
  const before = gateway.disturbances();
  let socket: SocketClient | undefined;
  try {
    socket = await openSocket(`${gateway.wsUrl}?apikey=${apiKey}`, {
      headers: { 'keyslot-session': session },
      handshakeTimeout: readMs,
      timeoutMs: readMs,
      onNotified: (message) => heard.take(message as Notified),
    });
    await use(socket);
  } catch (error) {
    const isDisturbed = (): boolean => gateway.disturbances() !== before || over.aborted;
    const isRetired = !isDisturbed() && !gateway.isServing() && (await hasSaidGoodbye(socket));
    if (isDisturbed() || isRetired) timeline.count('sockets_lost_with_their_gateway');
    else {
      findings.check('failed_read');
      const why = error instanceof Error ? error.message : String(error);
      findings.break('failed_read', `${session} at ${gateway.name}, over WebSocket: ${why}`);
    }
  } finally {
    socket?.socket.terminate();
  }
}

async function hasSaidGoodbye(socket: SocketClient | undefined): Promise<boolean> {
  socket?.close();
  return socket === undefined || (await socket.closed).code === GOODBYE;
}

/** Reads over a socket, and judges the answer. @throws Error for one that is not answered, or with an error. */
export async function readOver(
  { findings, timeline }: Pick<ClientDeps, 'findings' | 'timeline'>,
  socket: Pick<SocketClient, 'call'>,
  { heard, step }: { readonly heard: HeardSlots; readonly step: ReadStep },
): Promise<void> {
  const { period } = timeline;
  const judge = heard.shown.expect(step, `${heard.by}, over WebSocket`);
  const startMs = performance.now();
  const answer = await socket.call(step.method, step.params);
  if (answer.result === undefined) throw new Error(`${step.method}: ${JSON.stringify(answer.error)}`);
  findings.check('failed_read');
  timeline.read('websocket', performance.now() - startMs, period);
  judge(answer);
}

/** The subscriptions, with the commitment of their notifications where that is not the caller's choice. */
const SUBSCRIPTIONS = {
  slotSubscribe: 'processed',
  rootSubscribe: 'finalized',
  accountSubscribe: undefined,
} as const;

/** The slots that the subscriptions of one socket tell of. */
export class HeardSlots {
  readonly by: string;
  readonly shown: ShownSlots;
  readonly #deps: Pick<ClientDeps, 'findings' | 'timeline'>;
  readonly #subscriptions = new Map<number, Subscription>();

  constructor(
    deps: Pick<ClientDeps, 'findings' | 'timeline'>,
    by: string,
    shown = new ShownSlots(deps.findings),
  ) {
    this.#deps = deps;
    this.by = by;
    this.shown = shown;
  }

  /** The notifications of each subscription until now. */
  get sequences(): readonly SlotSequence[] {
    return [...this.#subscriptions.values()].map(({ sequence }) => sequence);
  }

  async subscribe(
    socket: Pick<SocketClient, 'call'>,
    method: keyof typeof SUBSCRIPTIONS,
    commitment: Commitment = 'confirmed',
  ): Promise<void> {
    const params = method === 'accountSubscribe' ? [ADDRESS, { commitment, encoding: 'base64' }] : [];
    const { result, error } = await socket.call(method, params);
    if (typeof result !== 'number') throw new Error(`${method}: ${JSON.stringify(error)}`);
    // The same one again has the same id.
    if (this.#subscriptions.has(result)) return;
    const sequence = new SlotSequence(`${this.by}: ${method} at ${commitment}`);
    const at = SUBSCRIPTIONS[method] ?? commitment;
    this.#subscriptions.set(result, { sequence, at, lastMs: performance.now() });
  }

  /** Takes a notification: its slot follows the one before, or a gap was sent. */
  take({ method, params }: Notified): void {
    const { findings, timeline } = this.#deps;
    if (method === 'gapNotification') {
      timeline.count('gaps_told');
      for (const id of params.subscriptions ?? [])
        this.#subscriptions.get(id)?.sequence.tellGap(params.fromSlot ?? 0, params.toSlot ?? 0);
      return;
    }
    const subscription = this.#subscriptions.get(params.subscription ?? -1);
    const slot = slotOf(params.result);
    if (subscription === undefined || slot === undefined) return;
    timeline.count('notifications');
    findings.check('silent_gap');
    subscription.lastMs = performance.now();
    subscription.sequence.tell(slot);
    for (const fault of subscription.sequence.faults.splice(0)) findings.break('silent_gap', fault);
    this.shown.slots.see(subscription.at, slot, `${this.by}: ${method}`);
    this.shown.judgeState(params.result, `${this.by}: ${method} showed`);
  }

  /** A subscription without a notification for this long has fallen silent. */
  judgeSilence(mostMs: number): void {
    for (const { sequence, lastMs } of this.#subscriptions.values()) {
      if (performance.now() - lastMs < mostMs) continue;
      this.#deps.findings.break('silent_gap', `${sequence.name}: silent for ${mostMs} ms`);
      this.#subscriptions.clear();
      return;
    }
  }

  /** Takes no more. */
  end(): void {
    this.#subscriptions.clear();
  }
}

/** A notification, or the notice of a gap. */
type Notified = {
  readonly method: string;
  readonly params: {
    readonly subscription?: number;
    readonly subscriptions?: readonly number[];
    readonly fromSlot?: number;
    readonly toSlot?: number;
    readonly result?: unknown;
  };
};
