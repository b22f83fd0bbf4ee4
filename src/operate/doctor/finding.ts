import type { Config } from '../../../generated/config.ts';

/** The result of a check. */
export type Finding = {
  /** The part that was checked, such as `store`. */
  readonly part: string;
  /** `skipped`: the part could not be checked, or does not need a check. */
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  /** The state in words, without secrets. */
  readonly detail: string;
  /** The remedy; only with `warning` and `wrong`. */
  readonly remedy?: string;
};

/** The installation that is checked. */
export type Installation = {
  readonly config: Config;
  readonly nowMs: number;
  /** The state of each part of the running server, as `/readyz` shows it; undefined without a server. */
  readonly status: ServerStatus | undefined;
};

/** The part of `/readyz` that checks use. */
export type ServerStatus = {
  readonly store: { readonly state: string; readonly reason?: string };
  readonly signer: { readonly state: string; readonly backend: string };
  readonly networks: readonly {
    readonly name: string;
    readonly environment: string;
    readonly upstream: string;
    readonly consensus: string;
    readonly nodes: readonly {
      readonly name: string;
      readonly version: string | null;
      readonly is_ordered: boolean;
      readonly roles: readonly string[];
      readonly is_reachable: boolean;
      readonly standing: string;
      readonly reasons: readonly string[];
      readonly is_stale: boolean;
    }[];
  }[];
};

/** Checks one part. Errors that it throws become findings: see `examine`. */
export type Check = (installation: Installation) => Promise<Finding | readonly Finding[]>;
