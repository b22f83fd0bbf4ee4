import type { DevelopmentFile } from '../account/setup/development-file.ts';

/** The addresses of a running server. */
export type ServedApp = {
  readonly address: {
    readonly host: string;
    readonly port: number;
    readonly baseUrl: string;
    readonly wsUrl: string;
    /** The address of the topic streams. */
    readonly grpcUrl: string;
    /** The address of `/metrics`. */
    readonly metricsUrl: string;
  };
  /** The JSON-RPC path of each network, in the order of the configuration. */
  readonly rpcPaths: readonly string[];
  /** False: an embedded ledger did not start in time; calls answer 503 until it does. */
  readonly hasLedger: boolean;
  /** The development address and key; undefined with an operator's configuration. */
  readonly development: DevelopmentFile | undefined;
  /** False: nobody can sign in to the dashboard yet. */
  readonly hasMembers: boolean;
};
