import { CallError, type CallFailure } from './call-error.ts';
import { printJson } from './json.ts';
import { type KeptLink, keepLink } from './kept-link.ts';
import { asSlot, hasMember, isObject, slotOf } from './notification-parts.ts';
import type { NotificationQueue } from './notification-queue.ts';
import type { Closing, LinkOptions, SocketLink } from './socket-link.ts';
import type { SubscriptionClientOptions, SubscriptionKind, Wire } from './subscription-types.ts';

/** One subscription of the program. */
export type Entry = {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly kind: SubscriptionKind;
  readonly queue: NotificationQueue<unknown>;
  /** Called each time the server has acknowledged it. */
  readonly acknowledged: () => void;
  /** Called once when it is over; with the error where it failed. */
  readonly over: (error?: CallError) => void;
};

type State = {
  id: string | undefined;
  isAcknowledged: boolean;
  lastSlot: bigint | undefined;
  /** Number of consecutive refusals when it was requested again. */
  refusals: number;
};

type HubOptions = Pick<LinkOptions, 'address' | 'WebSocket' | 'timeoutMs' | 'pingMs'> &
  Required<Pick<SubscriptionClientOptions, 'retry'>> &
  Pick<SubscriptionClientOptions, 'onConnection'>;

/**
 * The subscriptions of a program over one connection: requests them, again whenever the connection was lost, and distributes notifications.
 */
export class SubscriptionHub {
  readonly #options: HubOptions;
  readonly #wire: Wire;
  readonly #link: KeptLink;
  readonly #entries = new Map<Entry, State>();
  /** The readers of each id on the current connection. Equivalent calls may get the same id. */
  readonly #heard = new Map<string, Set<Entry>>();
  /** Pending subscribe calls, by the part that may give them the same id. */
  readonly #underWay = new Map<string, Set<Promise<void>>>();

  constructor(options: HubOptions, wire: Wire) {
    this.#options = options;
    this.#wire = wire;
    this.#link = keepLink({
      ...options,
      finalCodes: wire.finalCodes,
      isWanted: () => this.#entries.size > 0,
      onOpen: (link, lostMs) => void this.#restore(link, lostMs),
      onLost: (closing, retryMs) => this.#lose(closing, retryMs),
      onNotification: (method, params) => this.#hear(method, params),
    });
  }

  /** Requests a subscription, now or when the connection is open. */
  add(entry: Entry): void {
    this.#entries.set(entry, {
      id: undefined,
      isAcknowledged: false,
      lastSlot: undefined,
      refusals: 0,
    });
    const link = this.#link.current();
    if (link) void this.#send(entry, link);
    else this.#link.open();
  }

  /** Ends a subscription; resolves when the server has been told. */
  async remove(entry: Entry, error?: CallError): Promise<void> {
    const id = this.#finish(entry, error);
    if (id !== undefined) await this.#release(entry, id);
  }

  /** Ends all subscriptions and the connection. */
  close(failure?: CallFailure): void {
    for (const entry of this.#entries.keys())
      this.#finish(entry, failure && new CallError(entry.method, failure));
    this.#link.close();
  }

  /** Removes a subscription and ends its reader. Returns its id. */
  #finish(entry: Entry, error?: CallError): string | undefined {
    const state = this.#entries.get(entry);
    if (!state) return undefined;
    this.#entries.delete(entry);
    if (state.id !== undefined) this.#heard.get(state.id)?.delete(entry);
    entry.queue.end(error);
    entry.over(error);
    return state.id;
  }

  /** Unsubscribes an id without readers, once no pending call may get the same id. */
  async #release(entry: Entry, id: string): Promise<void> {
    const link = this.#link.current();
    const place = placeOf(entry);
    for (let calls = this.#underWay.get(place); calls; calls = this.#underWay.get(place))
      await Promise.all(calls);
    if (!link || link !== this.#link.current() || this.#heard.get(id)?.size !== 0) return;
    this.#heard.delete(id);
    // It may have ended at the server, or the connection breaks: either way it is over.
    await link.call(entry.kind.unsubscribe, [BigInt(id)]).catch(passCallErrors);
  }

  #send(entry: Entry, link: SocketLink): Promise<void> {
    const place = placeOf(entry);
    const calls = this.#underWay.get(place) ?? new Set();
    this.#underWay.set(place, calls);
    const asked = this.#ask(entry, link).finally(() => {
      calls.delete(asked);
      if (calls.size === 0) this.#underWay.delete(place);
    });
    calls.add(asked);
    return asked;
  }

  async #ask(entry: Entry, link: SocketLink): Promise<void> {
    try {
      await link.call(entry.method, entry.params, (id) => this.#answer(entry, id));
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      this.#refuse(entry, link, error);
    }
  }

  #answer(entry: Entry, result: unknown): void {
    const id = String(result);
    if (!/^\d+$/.test(id)) {
      this.#finish(
        entry,
        new CallError(entry.method, { kind: 'malformed', reason: 'the result is not an id' }),
      );
      return;
    }
    const hearers = this.#heard.get(id) ?? new Set();
    this.#heard.set(id, hearers);
    const state = this.#entries.get(entry);
    if (!state) {
      void this.#release(entry, id);
      return;
    }
    hearers.add(entry);
    state.id = id;
    // A subscription that ends with an outcome gets it again: nothing can be missing.
    if (state.isAcknowledged && !entry.kind.outcome)
      entry.queue.gap({ cause: 'reconnect', fromSlot: state.lastSlot, toSlot: undefined });
    state.isAcknowledged = true;
    state.refusals = 0;
    entry.acknowledged();
  }

  /** A call whose connection broke is sent again over the next one; so is, a few times, a refused call that succeeded before. */
  #refuse(entry: Entry, link: SocketLink, error: CallError): void {
    const state = this.#entries.get(entry);
    const { failure } = error;
    if (!state || failure.kind === 'network') return;
    const isCallWrong = failure.kind === 'rpc' && WRONG_CALL.includes(failure.code);
    state.refusals += 1;
    if (state.isAcknowledged && !isCallWrong && state.refusals < MOST_REFUSALS) link.close();
    else this.#finish(entry, error);
  }

  async #restore(link: SocketLink, lostMs: number | undefined): Promise<void> {
    if (lostMs === undefined) this.#options.onConnection?.({ kind: 'open' });
    const entries = [...this.#entries.keys()];
    await Promise.all(entries.map((entry) => this.#send(entry, link)));
    if (link !== this.#link.current()) return;
    this.#link.confirm();
    if (lostMs !== undefined)
      this.#options.onConnection?.({ kind: 'restored', lostMs, subscriptions: entries.length });
  }

  #lose({ code, reason }: Closing, retryMs: number | undefined): void {
    this.#heard.clear();
    for (const state of this.#entries.values()) state.id = undefined;
    if (retryMs === undefined) {
      const failure: CallFailure = this.#wire.finalCodes.includes(code)
        ? { kind: 'closed', code, reason }
        : { kind: 'network' };
      for (const entry of this.#entries.keys()) this.#finish(entry, new CallError(entry.method, failure));
    }
    this.#options.onConnection?.({ kind: 'lost', code, reason, retryMs });
  }

  #hear(method: string, params: unknown): void {
    if (method === this.#wire.gap.notification) this.#hearGap(decodeOr(() => this.#wire.gap.decode(params)));
    if (!isObject(params)) return;
    const id = String(params.subscription);
    const hearers = [...(this.#heard.get(id) ?? [])].filter(({ kind }) => kind.notification === method);
    const [first] = hearers;
    if (!first) return;
    const result = decodeOr(() => first.kind.decode(params.result));
    if (result === undefined) {
      for (const entry of hearers) void this.remove(entry, new CallError(entry.method, NO_NOTIFICATION));
      return;
    }
    const isLast = first.kind.outcome !== undefined && hasMember(result, first.kind.outcome);
    for (const entry of hearers) this.#deliver(entry, result, isLast);
    if (isLast) this.#heard.delete(id);
  }

  #deliver(entry: Entry, result: unknown, isLast: boolean): void {
    const state = this.#entries.get(entry);
    if (!state) return;
    state.lastSlot = slotOf(result) ?? state.lastSlot;
    const fits = entry.queue.push(result);
    if (isLast) this.#finish(entry);
    else if (!fits) void this.remove(entry);
  }

  #hearGap(notice: unknown): void {
    if (!isObject(notice) || !Array.isArray(notice.subscriptions)) return;
    const { fromSlot, toSlot, genesisHash } = notice;
    for (const id of notice.subscriptions)
      for (const { queue } of this.#heard.get(String(id)) ?? [])
        queue.gap({
          cause: 'server',
          fromSlot: asSlot(fromSlot),
          toSlot: asSlot(toSlot),
          ...(typeof genesisHash === 'string' && { genesisHash }),
        });
  }
}

/** A server that was just started may refuse for a moment. */
const MOST_REFUSALS = 10;

/** Errors that every server answers to the same call: invalid request, no such method, invalid params. */
const WRONG_CALL: readonly number[] = [-32600, -32601, -32602];

/** Calls that differ in this never get the same id. */
const placeOf = ({ method, params: [first = null] }: Entry): string => printJson([method, first]);

const NO_NOTIFICATION = {
  kind: 'malformed',
  reason: 'a notification does not fit the specification',
} as const;

/** Notifications are not checked before decoding: a fraction in place of an integer throws. */
const decodeOr = (decode: () => unknown): unknown => {
  try {
    return decode();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

const passCallErrors = (error: unknown): void => {
  if (!(error instanceof CallError)) throw error;
};
