/** The kinds of faults, by target. */
type FaultKinds = {
  readonly node:
    | 'lag'
    | 'fork'
    | 'stale'
    | 'foreign'
    | 'busy'
    | 'error'
    | 'break_off'
    | 'reset'
    | 'half_open'
    | 'slow'
    | 'slow_body'
    | 'version'
    | 'kill';
  readonly gateway: 'kill' | 'restart' | 'replace' | 'pause' | 'cut_off';
  readonly postgres: 'kill' | 'cut_off' | 'pause';
  readonly redis: 'kill' | 'cut_off' | 'pause';
  /** The process that keeps keys, of one gateway. */
  readonly signer: 'kill' | 'pause';
  /** The receiver of webhooks. */
  readonly receiver: 'error' | 'half_open' | 'reset' | 'cut_off';
};

export type FaultPart = keyof FaultKinds;
export type FaultKind<P extends FaultPart> = FaultKinds[P];

/** A shortest and a longest time, or a smallest and a largest number, both included. */
export type Span = readonly [least: number, most: number];

/** A source of faults of one kind, alongside the others. */
export type FaultSource = {
  readonly [P in FaultPart]: {
    readonly part: P;
    readonly kind: FaultKinds[P];
    /** Milliseconds between the end of one fault of this source and the next one. Default: 1,000 to 5,000. */
    readonly every?: Span;
    /** Milliseconds that a fault lasts; a kill, until the process is started again. Default: 500 to 3,000. */
    readonly lasts?: Span;
    /** Slots that a node is behind, with `lag`, `fork` (at most 2) and `stale`. */
    readonly slots?: Span;
  };
}[FaultPart];

/** The number of clients of each kind, all at work at the same time. */
export type ClientCounts = {
  /** They read without a pause, each in a session of its own, and now and then send a transaction. */
  readonly http: number;
  /** They read in batches of JSON-RPC over HTTP, and now and then send a transaction in one. */
  readonly batches: number;
  /** Each has two subscriptions, and reads alongside them. */
  readonly websocket: number;
  /** Each reads the stream of slots, and resumes it where it breaks. */
  readonly grpc: number;
  /** One after the other has a short session over HTTP, WebSocket and topic streams at once. */
  readonly users: number;
  /** Each has an account with money and a webhook, creates managed wallets, signs with them and destroys some. */
  readonly wallets: number;
  /** Each has an account with money and a webhook, creates HD masters, derives children and destroys some. */
  readonly trees: number;
  /** Each has an account with a webhook, creates, rotates and revokes API keys over the account service, and uses them. */
  readonly keys: number;
};

/** The faults while clients are served, their rate and their length. */
export type Scenario = {
  /** The time in which clients work and faults happen, in seconds. Then everything is fixed, and open work is settled. */
  readonly durationS: number;
  readonly nodes?: number;
  /** More than one needs a PostgreSQL. */
  readonly gateways?: number;
  /** True if gateways leave a node that hangs sooner than by default. */
  readonly isImpatient?: boolean;
  readonly clients: Partial<ClientCounts>;
  readonly faults: readonly FaultSource[];
};

const NODE_FAULTS: readonly FaultSource[] = [
  { part: 'node', kind: 'lag', slots: [1, 30] },
  { part: 'node', kind: 'fork' },
  { part: 'node', kind: 'stale', every: [2_000, 8_000] },
  { part: 'node', kind: 'foreign', every: [10_000, 40_000], lasts: [1_000, 5_000] },
  { part: 'node', kind: 'busy', every: [2_000, 8_000], lasts: [200, 2_000] },
  { part: 'node', kind: 'error', every: [2_000, 8_000] },
  { part: 'node', kind: 'reset', every: [2_000, 8_000], lasts: [200, 2_000] },
  { part: 'node', kind: 'half_open', every: [3_000, 10_000] },
  { part: 'node', kind: 'slow', every: [2_000, 8_000] },
  { part: 'node', kind: 'slow_body', every: [2_000, 8_000] },
  { part: 'node', kind: 'version', every: [5_000, 20_000], lasts: [2_000, 10_000] },
  { part: 'node', kind: 'kill', every: [2_000, 8_000] },
];

/** Nodes, gateways, signers, PostgreSQL, Redis and the receiver of webhooks fail in every way that the lab knows. */
const everything: Scenario = {
  durationS: 600,
  gateways: 2,
  clients: { http: 6, batches: 2, websocket: 4, grpc: 4, users: 2, wallets: 3, trees: 2, keys: 2 },
  faults: [
    ...NODE_FAULTS,
    { part: 'gateway', kind: 'kill', every: [10_000, 30_000] },
    { part: 'gateway', kind: 'restart', every: [10_000, 30_000], lasts: [0, 1_000] },
    { part: 'gateway', kind: 'replace', every: [10_000, 30_000], lasts: [0, 1_000] },
    { part: 'gateway', kind: 'pause', every: [5_000, 20_000], lasts: [200, 3_000] },
    { part: 'gateway', kind: 'cut_off', every: [5_000, 20_000], lasts: [200, 3_000] },
    { part: 'postgres', kind: 'cut_off', every: [10_000, 30_000], lasts: [200, 4_000] },
    { part: 'postgres', kind: 'pause', every: [10_000, 30_000], lasts: [200, 3_000] },
    { part: 'redis', kind: 'cut_off', every: [10_000, 30_000], lasts: [200, 4_000] },
    { part: 'redis', kind: 'pause', every: [10_000, 30_000], lasts: [200, 3_000] },
    { part: 'postgres', kind: 'kill', every: [20_000, 60_000], lasts: [200, 4_000] },
    { part: 'redis', kind: 'kill', every: [20_000, 60_000], lasts: [200, 4_000] },
    { part: 'signer', kind: 'kill', every: [10_000, 30_000] },
    { part: 'signer', kind: 'pause', every: [10_000, 30_000], lasts: [200, 3_000] },
    { part: 'receiver', kind: 'error', every: [10_000, 30_000], lasts: [200, 5_000] },
    { part: 'receiver', kind: 'half_open', every: [10_000, 30_000], lasts: [200, 5_000] },
    { part: 'receiver', kind: 'reset', every: [5_000, 20_000], lasts: [200, 3_000] },
    { part: 'receiver', kind: 'cut_off', every: [10_000, 30_000], lasts: [200, 5_000] },
  ],
};

/** Nodes fail in every way, before one gateway. Needs nothing else. */
const nodes: Scenario = {
  durationS: 120,
  clients: { http: 4, batches: 2, websocket: 2, grpc: 2, wallets: 2, trees: 1, keys: 1 },
  faults: NODE_FAULTS,
};

/** Gateways are replaced one after the other while they are in use, as by an upgrade. */
const restarts: Scenario = {
  durationS: 180,
  gateways: 2,
  clients: { http: 6, batches: 2, websocket: 4, grpc: 4, wallets: 3, trees: 1, keys: 1 },
  faults: [{ part: 'gateway', kind: 'replace', every: [3_000, 6_000], lasts: [0, 1_000] }],
};

/** One fault of each part at least, and every protocol, in seconds. */
const short: Scenario = {
  durationS: 8,
  gateways: 2,
  isImpatient: true,
  clients: { http: 3, batches: 1, websocket: 2, grpc: 2, users: 1, wallets: 1, trees: 1, keys: 1 },
  faults: [
    { part: 'node', kind: 'lag', every: [200, 1_000], slots: [1, 30] },
    { part: 'node', kind: 'reset', every: [200, 1_000], lasts: [200, 1_000] },
    { part: 'node', kind: 'kill', every: [500, 1_500], lasts: [200, 1_000] },
    { part: 'gateway', kind: 'pause', every: [1_000, 2_000], lasts: [200, 500] },
    { part: 'postgres', kind: 'cut_off', every: [2_000, 4_000], lasts: [200, 500] },
    { part: 'redis', kind: 'cut_off', every: [1_000, 3_000], lasts: [200, 500] },
    { part: 'postgres', kind: 'kill', every: [3_000, 5_000], lasts: [200, 500] },
    { part: 'redis', kind: 'kill', every: [2_000, 4_000], lasts: [200, 500] },
    { part: 'signer', kind: 'kill', every: [2_000, 4_000] },
    { part: 'receiver', kind: 'reset', every: [1_000, 3_000], lasts: [200, 1_000] },
  ],
};

/** Users of HTTP, WebSocket and topic streams while nodes lag, take other forks, break off and die. */
const users: Scenario = {
  durationS: 60,
  isImpatient: true,
  clients: { users: 100 },
  faults: [
    { part: 'node', kind: 'lag', every: [50, 500], lasts: [50, 1_000], slots: [1, 20] },
    { part: 'node', kind: 'fork', every: [50, 500], lasts: [50, 1_000] },
    { part: 'node', kind: 'busy', every: [200, 2_000], lasts: [50, 1_000] },
    { part: 'node', kind: 'error', every: [200, 2_000], lasts: [50, 1_000] },
    { part: 'node', kind: 'break_off', every: [200, 2_000], lasts: [50, 1_000] },
    { part: 'node', kind: 'half_open', every: [200, 2_000], lasts: [50, 1_000] },
    { part: 'node', kind: 'slow', every: [200, 2_000], lasts: [50, 1_000] },
    { part: 'node', kind: 'kill', every: [200, 2_000], lasts: [50, 1_000] },
  ],
};

/** One gateway that nothing disturbs: clients of it are stopped by signals. */
const calm: Scenario = { durationS: 600, clients: { http: 1 }, faults: [] };

export const SCENARIOS = { everything, nodes, restarts, short, users, calm } as const;
