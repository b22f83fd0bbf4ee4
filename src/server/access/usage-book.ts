import { errorEntry } from '../../../generated/errors.ts';
import { toServiceError } from '../../core/service-error.ts';
import { codeOf, NODE_FAULTS } from '../../gateway/nodes/pool/judge-reply.ts';
import type { Ended } from './count-runs.ts';

/** The outcome of a call: served, or refused because the plan allowed no more. */
export type UsageOutcome = ServedOutcome | 'refused';

/** Calls of one kind, and messages of requests that do not become calls. */
export type CountedCalls = {
  /** Their number; they weigh `weight` together. Default 1. */
  readonly calls?: number;
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  readonly outcome: UsageOutcome;
  readonly weight: number;
};

/** Messages that were pushed to connections of a key: notifications of a subscription, or messages of a topic stream. */
export type PushedMessages = {
  readonly keyId: string;
  readonly network: string;
  /** The subscribe method, or `Subscribe.<topic>`. */
  readonly method: string;
  readonly messages: number;
};

/** Counts calls of a key in the current minute. */
export type CountCall = (calls: CountedCalls) => void;

/** Counts pushed messages of a key in the current minute. */
export type CountPushed = (pushed: PushedMessages) => void;

/** The counts of one key, network and method in one minute (see `UsageRow` of src/account). */
export type CountedRow = {
  readonly minuteMs: number;
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  calls: number;
  errors: number;
  callerErrors: number;
  refused: number;
  weight: number;
  messages: number;
};

const MINUTE_MS = 60_000;

type ByMethod = Map<string, CountedRow>;

export type UsageBookOptions = {
  /** Called before a row is added. */
  readonly hasRoom: () => boolean;
  /** Called with the number of calls or messages that would have needed a row, and are not counted. */
  readonly onLost: (counts: number) => void;
};

/**
 * Counts in memory until the rows are taken to be stored: a row of about 150 bytes for each key, network and method of a
 * minute. Callers pass names from the specification only, never what a client wrote.
 */
export class UsageBook {
  readonly #options: UsageBookOptions;
  #rows: CountedRow[] = [];
  #minuteMs = 0;
  #minuteEndMs = 0;
  #byKey = new Map<string, Map<string, ByMethod>>();

  constructor(options: UsageBookOptions) {
    this.#options = options;
  }

  /** Rows that have not been taken yet. */
  get size(): number {
    return this.#rows.length;
  }

  /** Counts calls of one kind. `weight` is added for served ones only. */
  count(nowMs: number, { keyId, network, method, outcome, weight, calls = 1 }: CountedCalls): void {
    const row = this.#rowOf(nowMs, keyId, network, method);
    if (row === undefined) this.#options.onLost(calls);
    else if (outcome === 'refused') row.refused += calls;
    else {
      row.calls += calls;
      row.weight += weight;
      if (outcome === 'error') row.errors += calls;
      else if (outcome === 'callerError') row.callerErrors += calls;
    }
  }

  /** Counts pushed messages, which weigh nothing. */
  countPushed(nowMs: number, { keyId, network, method, messages }: PushedMessages): void {
    const row = this.#rowOf(nowMs, keyId, network, method);
    if (row === undefined) this.#options.onLost(messages);
    else row.messages += messages;
  }

  /** Removes and returns all rows. Rows of the same minute may follow in a later call. */
  take(): readonly CountedRow[] {
    const rows = this.#rows;
    this.#rows = [];
    this.#byKey = new Map();
    return rows;
  }

  #rowOf(nowMs: number, keyId: string, network: string, method: string): CountedRow | undefined {
    if (nowMs >= this.#minuteEndMs || nowMs < this.#minuteMs) this.#startMinute(nowMs);
    const known = this.#byKey.get(keyId)?.get(network)?.get(method);
    return known ?? this.#addRow(keyId, network, method);
  }

  #startMinute(nowMs: number): void {
    this.#minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
    this.#minuteEndMs = this.#minuteMs + MINUTE_MS;
    this.#byKey = new Map();
  }

  #addRow(keyId: string, network: string, method: string): CountedRow | undefined {
    if (!this.#options.hasRoom()) return undefined;
    const row = {
      minuteMs: this.#minuteMs,
      keyId,
      network,
      method,
      calls: 0,
      errors: 0,
      callerErrors: 0,
      refused: 0,
      weight: 0,
      messages: 0,
    };
    const byNetwork = this.#byKey.get(keyId) ?? new Map<string, ByMethod>();
    const byMethod = byNetwork.get(network) ?? new Map<string, CountedRow>();
    this.#byKey.set(keyId, byNetwork.set(network, byMethod.set(method, row)));
    this.#rows.push(row);
    return row;
  }
}

/**
 * The outcome of a served call: answered; `error`: this server or a ledger node failed to answer; `callerError`: answered with an error
 * about the call itself, such as an unknown method, wrong parameters or a block that does not exist.
 */
export type ServedOutcome = 'ok' | 'error' | 'callerError';

/** Returns the outcome of a call whose client did not disconnect. */
export function servedOutcomeOf(ended: Ended): ServedOutcome {
  if (ended.kind === 'failure') return outcomeOfError(ended.error);
  if (ended.kind !== 'whole' || !ended.isError) return 'ok';
  return NODE_FAULTS.has(codeOf(ended.body)) ? 'error' : 'callerError';
}

/** Returns the side that caused an error. */
export function outcomeOfError(error: unknown): 'error' | 'callerError' {
  const { area, http = 500, jsonrpc } = errorEntry(toServiceError(error).code);
  const isOurs =
    area === 'upstream' || http >= 500 || (jsonrpc !== undefined && NODE_FAULTS.has(jsonrpc.code));
  return isOurs ? 'error' : 'callerError';
}
