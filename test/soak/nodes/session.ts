import { createStreamClient, type StreamClient } from '../../../generated/stream/package.ts';
import { eventually } from '../../../src/base/eventually.ts';
import type { Commitment } from '../../../src/rpc/commitment.ts';
import type { ChainGateway } from './chain-gateway.ts';
import { openSocket, type SocketClient } from '../../support/socket-client.ts';
import { wireOf } from '../../ledger/own-reads/chain-gateway.ts';
import { type Floor, Floors } from '../../../src/lab/checks/floors.ts';
import type { SessionStep } from './session-steps.ts';
import { SlotSequence } from '../../../src/lab/checks/slot-sequence.ts';

/** What is told while a node is lost waits until that is noticed. */
const LISTEN_MS = 20_000;
const ADDRESS = 'J8rksYxxzQtYv1Eq4hZ7YsiKFK3bfwd5PkxgfXG8uSEq';
const NOTED: Readonly<Record<string, Commitment>> = {
  slotNotification: 'processed',
  rootNotification: 'finalized',
};

type Answer = { readonly result?: unknown; readonly error?: unknown };
/** A read, and what it must not fall below. */
type Expected = {
  readonly floors: Floors;
  readonly floor: Floor;
  readonly commitment: Commitment;
  readonly by: string;
};
type Read = Extract<SessionStep, { readonly kind: 'read' }>;

let sent = 0;

/** One user of a server, over HTTP, WebSocket and topic streams, who checks what it is shown. */
export class Session {
  readonly faults: string[] = [];
  readonly #gateway: ChainGateway;
  readonly #name: string;
  readonly #slots = new Floors();
  readonly #heights = new Floors();
  readonly #sequences: SlotSequence[] = [];
  readonly #bySubscription = new Map<number, { readonly sequence: SlotSequence; readonly at: Commitment }>();
  readonly #left = new AbortController();
  #socket: Promise<SocketClient> | undefined;
  #streams: StreamClient | undefined;
  #streaming: Promise<void> | undefined;

  constructor(gateway: ChainGateway, name: string) {
    this.#gateway = gateway;
    this.#name = name;
  }

  /** How many gaps it was told of. */
  get gaps(): number {
    return this.#sequences.reduce((sum, { gaps }) => sum + gaps, 0);
  }

  async play(steps: readonly SessionStep[]): Promise<void> {
    try {
      for (const step of steps) await this.#take(step);
    } catch (error) {
      this.faults.push(String(error));
    }
    this.#left.abort();
    (await this.#socket)?.close();
    await this.#streaming;
    this.#streams?.close();
    for (const { faults } of this.#sequences) this.faults.push(...faults);
  }

  async read({ over, method, commitment }: Omit<Read, 'kind'>): Promise<void> {
    const floors = method === 'getBlockHeight' ? this.#heights : this.#slots;
    const floor = floors.at(commitment);
    const config = { commitment };
    const params = method === 'getBalance' || method === 'getAccountInfo' ? [ADDRESS, config] : [config];
    const answer =
      over === 'http' ? await this.#call(method, params) : await this.#callSocket(method, params);
    this.#check(answer, { floors, floor, commitment, by: `${method} over ${over}` });
  }

  async #take(step: SessionStep): Promise<void> {
    switch (step.kind) {
      case 'read':
        return this.read(step);
      case 'batch':
        return this.#batch(step.commitment);
      case 'subscribe':
        return this.#subscribe(step);
      case 'stream':
        return this.#stream();
      case 'listen':
        return this.#listen();
      case 'send':
        return this.send();
    }
  }

  /** It may fail where its node breaks off: it must not be sent again then. */
  async send(): Promise<void> {
    await this.#call('sendTransaction', [wireOf(++sent), { encoding: 'base64' }]);
  }

  async #batch(commitment: Commitment): Promise<void> {
    const floors = this.#slots;
    const floor = floors.at(commitment);
    const calls = [
      { method: 'getBalance', params: [ADDRESS, { commitment }] },
      { method: 'getSlot', params: [{ commitment }] },
    ];
    const answers = await this.#post(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })));
    for (const answer of answers as readonly Answer[])
      this.#check(answer, { floors, floor, commitment, by: 'a batch' });
  }

  #check(answer: Answer, { floors, floor, commitment, by }: Expected): void {
    const slot = slotOf(answer);
    if (slot === undefined) this.faults.push(`${by} at ${commitment} failed: ${JSON.stringify(answer)}`);
    else if (slot < floor.slot)
      this.faults.push(`${by} at ${commitment} showed ${slot}, after ${floor.by} had shown ${floor.slot}`);
    else floors.see(commitment, slot, by);
  }

  async #call(method: string, params: readonly unknown[]): Promise<Answer> {
    return (await this.#post({ jsonrpc: '2.0', id: 1, method, params })) as Answer;
  }

  async #post(body: unknown): Promise<unknown> {
    const headers = { 'content-type': 'application/json', 'keyslot-session': this.#name };
    const init = { method: 'POST', headers, body: JSON.stringify(body) };
    return await (await fetch(this.#gateway.rpcUrl, init)).json();
  }

  async #callSocket(method: string, params: readonly unknown[]): Promise<Answer> {
    const { error, result } = await (await this.#openSocket()).call(method, params);
    return { error, result };
  }

  #openSocket(): Promise<SocketClient> {
    this.#socket ??= openSocket(this.#gateway.rpcUrl.replace(/^http/, 'ws'), {
      headers: { 'keyslot-session': this.#name },
    }).then((opened) => {
      opened.socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as Heard));
      return opened;
    });
    return this.#socket;
  }

  async #subscribe({ method, commitment }: Extract<SessionStep, { kind: 'subscribe' }>): Promise<void> {
    const params = method === 'accountSubscribe' ? [ADDRESS, { commitment, encoding: 'base64' }] : [];
    const { result, error } = await this.#callSocket(method, params);
    if (typeof result !== 'number') {
      this.faults.push(`${method} failed: ${JSON.stringify(error)}`);
      return;
    }
    if (this.#bySubscription.has(result)) return;
    const sequence = new SlotSequence(`${method} at ${commitment}`);
    this.#sequences.push(sequence);
    const at = NOTED[method.replace('Subscribe', 'Notification')] ?? commitment;
    this.#bySubscription.set(result, { sequence, at });
  }

  #hear({ method, params }: Heard): void {
    if (method === undefined) return;
    if (method === 'gapNotification') {
      for (const id of params.subscriptions ?? [])
        this.#bySubscription.get(id)?.sequence.tellGap(params.fromSlot ?? 0, params.toSlot ?? 0);
      return;
    }
    const subscription = this.#bySubscription.get(params.subscription ?? -1);
    const slot = slotOf({ result: params.result });
    if (subscription === undefined || slot === undefined) return;
    subscription.sequence.tell(slot);
    this.#slots.see(subscription.at, slot, method);
  }

  #stream(): void {
    if (this.#streams !== undefined) return;
    const { grpcUrl: url, apiKey } = this.#gateway;
    const sequence = new SlotSequence('stream of slots');
    this.#sequences.push(sequence);
    this.#streams = createStreamClient({ url, apiKey, session: this.#name, maxPauseMs: 200 });
    const messages = this.#streams.subscribe('slots', { signal: this.#left.signal });
    const read = async (): Promise<void> => {
      for await (const { slot } of messages) {
        sequence.tell(Number(slot));
        this.#slots.see('confirmed', Number(slot), 'a stream');
      }
    };
    this.#streaming = read().catch((error: unknown) => void this.faults.push(String(error)));
  }

  /** Waits until everything that is listened to has told something more. */
  async #listen(): Promise<void> {
    const before = this.#sequences.map((sequence) => ({ sequence, told: sequence.told }));
    const silent = () => before.filter(({ sequence, told }) => sequence.told === told);
    const hasTold = () => silent().length === 0 || undefined;
    const patience = { timeoutMs: LISTEN_MS, intervalMs: 10 };
    await eventually('all is told of a slot', hasTold, patience).catch(() => {
      for (const { sequence } of silent()) this.faults.push(`${sequence.name}: silent for ${LISTEN_MS} ms`);
    });
  }
}

type Heard = {
  readonly method?: string;
  readonly params: {
    readonly subscription?: number;
    readonly subscriptions?: readonly number[];
    readonly fromSlot?: number;
    readonly toSlot?: number;
    readonly result?: unknown;
  };
};

/** The slot or the block height that an answer or a notification shows. */
function slotOf({ result }: Answer): number | undefined {
  if (typeof result === 'number') return result;
  const { context, slot } = (result ?? {}) as {
    readonly context?: { readonly slot: number };
    readonly slot?: number;
  };
  return context?.slot ?? slot;
}
