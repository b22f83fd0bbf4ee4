/** The outcome of a message: served, served with an error, or refused because the plan allowed no more. */
export type UsageOutcome = 'ok' | 'error' | 'refused';

export type CountedMessage = {
  /** The number of messages of this kind, which weigh `weight` together; default 1. */
  readonly calls?: number;
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  readonly outcome: UsageOutcome;
  readonly weight: number;
};

/** Counts messages of a key in the current minute. */
export type CountCall = (message: CountedMessage) => void;

/** The counts of one key, network and method in one minute (see `UsageRow` of src/account). */
export type CountedRow = {
  readonly minuteMs: number;
  readonly keyId: string;
  readonly network: string;
  readonly method: string;
  calls: number;
  errors: number;
  refused: number;
  weight: number;
};

const MINUTE_MS = 60_000;

type ByMethod = Map<string, CountedRow>;

export type UsageBookOptions = {
  /** Called before a row is added. */
  readonly hasRoom: () => boolean;
  /** Called with messages that would have needed a row, and are not counted. */
  readonly onLost: (messages: number) => void;
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

  /** Counts messages of one kind. `weight` is added for served ones only. */
  count(nowMs: number, { keyId, network, method, outcome, weight, calls = 1 }: CountedMessage): void {
    const row = this.#rowOf(nowMs, keyId, network, method);
    if (row === undefined) this.#options.onLost(calls);
    else if (outcome === 'refused') row.refused += calls;
    else {
      row.calls += calls;
      row.weight += weight;
      if (outcome === 'error') row.errors += calls;
    }
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
      refused: 0,
      weight: 0,
    };
    const byNetwork = this.#byKey.get(keyId) ?? new Map<string, ByMethod>();
    const byMethod = byNetwork.get(network) ?? new Map<string, CountedRow>();
    this.#byKey.set(keyId, byNetwork.set(network, byMethod.set(method, row)));
    this.#rows.push(row);
    return row;
  }
}
