import type { Config } from '../../../generated/config.ts';

/** The first message to a worker. */
export type Joined = {
  readonly number: number;
  /** The settings of the supervisor: all workers run on them. */
  readonly config: Config;
  /** True: the configuration file may have changed since the start. */
  readonly isRestart: boolean;
};

/** The number of workers that serve. */
export type WorkersStanding = { readonly serving: number; readonly of: number };

/** File descriptor of a worker's connection to the signer. */
export const SIGNER_FD = 4;
/** An answer that takes longer is not waited for. */
export const ANSWER_MS = 5_000;
/** Requests with sealed keys that were begun before a change of the master key have this long to end. */
export const SETTLE_MS = 600_000;
