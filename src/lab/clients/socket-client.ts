import type { Commitment } from '../../rpc/commitment.ts';
import { SlotSequence } from '../checks/slot-sequence.ts';
import { type LabGateway, servingGateway } from '../gateways/lab-gateway.ts';
import type { ClientDeps } from './client-deps.ts';
import { type LabSocket, type Notified, openLabSocket } from './lab-socket.ts';
import { ADDRESS, drawRead, ShownSlots, slotOf } from './read-step.ts';

const NONE_SERVES_MS = 50;
const BETWEEN_MS = 60;
/** A socket is kept so long at most: opening is a part of what is tried. */
const LIFE_MS = 60_000;
/** Subscriptions move to another node when theirs falls silent: `upstream.ws_silence_ms`, and the time to notice it, twice. */
const SILENCES = 3;

type Subscription = { readonly sequence: SlotSequence; readonly at: Commitment; lastMs: number };

/** A client over WebSocket: two subscriptions whose slots follow one another, and reads beside them. Opens a new socket where one ends. */
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
  const { findings, timeline, over, pause, apiKey, readMs } = deps;
  const before = gateway.disturbances();
  const isUndisturbed = (): boolean => gateway.isServing() && gateway.disturbances() === before;
  const heard = new HeardSlots(deps, `${session} at ${gateway.name}`);
  let socket: LabSocket | undefined;
  try {
    const options = { session, timeoutMs: readMs, onNotified: (notified: Notified) => heard.take(notified) };
    socket = await openLabSocket(`${gateway.wsUrl}?apikey=${apiKey}`, options);
    await heard.subscribe(socket);
    const untilMs = performance.now() + LIFE_MS;
    while (!over.aborted && isUndisturbed() && socket.isOpen() && performance.now() < untilMs) {
      await readOver(deps, socket, { heard, by: `${session} at ${gateway.name}` });
      heard.judgeSilence(deps.silenceMs * SILENCES);
      await pause(BETWEEN_MS);
    }
  } catch (error) {
    if (!isUndisturbed() || over.aborted) timeline.count('sockets_lost_with_their_gateway');
    else {
      findings.check('failed_read');
      findings.break('failed_read', `${session} at ${gateway.name}, over WebSocket: ${messageOf(error)}`);
    }
  } finally {
    socket?.terminate();
    heard.end();
  }
}

async function readOver(
  { findings, timeline, random }: ClientDeps,
  socket: LabSocket,
  { heard, by }: { readonly heard: HeardSlots; readonly by: string },
): Promise<void> {
  const step = drawRead(random);
  const judge = heard.shown.expect(step, `${by}, over WebSocket`);
  const startMs = performance.now();
  const answer = await socket.call(step.method, step.params);
  if (answer.result === undefined) throw new Error(`${step.method}: ${JSON.stringify(answer.error)}`);
  findings.check('failed_read');
  timeline.read('websocket', performance.now() - startMs);
  judge(answer);
}

/** The slots that the subscriptions of one socket tell of. */
export class HeardSlots {
  readonly shown: ShownSlots;
  readonly #deps: Pick<ClientDeps, 'findings' | 'timeline'>;
  readonly #by: string;
  readonly #subscriptions = new Map<number, Subscription>();

  constructor(deps: Pick<ClientDeps, 'findings' | 'timeline'>, by: string) {
    this.#deps = deps;
    this.#by = by;
    this.shown = new ShownSlots(deps.findings);
  }

  async subscribe(socket: Pick<LabSocket, 'call'>): Promise<void> {
    await this.#subscribe(socket, 'slotSubscribe', { params: [], at: 'processed' });
    const params = [ADDRESS, { commitment: 'confirmed', encoding: 'base64' }];
    await this.#subscribe(socket, 'accountSubscribe', { params, at: 'confirmed' });
  }

  async #subscribe(
    socket: Pick<LabSocket, 'call'>,
    method: string,
    { params, at }: { readonly params: readonly unknown[]; readonly at: Commitment },
  ): Promise<void> {
    const { result, error } = await socket.call(method, params);
    if (typeof result !== 'number') throw new Error(`${method}: ${JSON.stringify(error)}`);
    const sequence = new SlotSequence(`${this.#by}: ${method}`);
    this.#subscriptions.set(result, { sequence, at, lastMs: performance.now() });
  }

  /** Takes a notification: its slot follows the one before, or a gap was told of. */
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
    this.shown.slots.see(subscription.at, slot, `${this.#by}: ${method}`);
    this.shown.judgeState(params.result, `${this.#by}: ${method} showed`);
  }

  /** A subscription that has told nothing for so long has fallen silent. */
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
