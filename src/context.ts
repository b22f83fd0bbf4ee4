import type { Config } from '../generated/config.ts';

/** The part of the configuration that names one network: its calls, meters and nodes are kept apart by it. */
export type NetworkConfig = Config['networks'][number];

/** Who calls, and for how long anyone is interested in the answer. */
export type Context = {
  readonly keyId: string;
  readonly accountId: string;
  /** Aborted when the client has left. */
  readonly signal: AbortSignal;
};
