export type PoolSettings = {
  /** Most milliseconds that a node may be behind the best one. */
  readonly maxLagMs: number;
  /** Milliseconds after which a read is also sent to another node. */
  readonly patienceMs: number;
  /** The largest share of reads that are hedged: also sent to another node when slower than 95 in 100; 0: none. */
  readonly hedgeShare: number;
  /** The number of nodes that a transaction is sent to at once. */
  readonly sendAtOnce: number;
  /** The genesis hash of the network; undefined: that of most nodes. */
  readonly genesisHash?: string | undefined;
};

export const POOL_DEFAULTS: PoolSettings = {
  maxLagMs: 5_000,
  patienceMs: 5_000,
  hedgeShare: 0,
  sendAtOnce: 1,
};
