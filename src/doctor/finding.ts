import type { Config } from '../../generated/config.ts';

/** What one check found. */
export type Finding = {
  /** The part that was checked, such as `store`. */
  readonly part: string;
  /** `skipped`: it could not be checked, or there is nothing to check. */
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  /** What is so. Holds no secret. */
  readonly detail: string;
  /** What to do about it; only with `warning` and `wrong`. */
  readonly remedy?: string;
};

/** What checks look at. */
export type Patient = {
  readonly config: Config;
  readonly nowMs: number;
  /** The state of each part of the running server, as `/readyz` shows it; undefined where none runs. */
  readonly status: ServerStatus | undefined;
};

/** The part of `/readyz` that is looked at. */
export type ServerStatus = {
  readonly store: { readonly state: string; readonly reason?: string };
  readonly signer: { readonly state: string; readonly backend: string };
  readonly networks: readonly {
    readonly name: string;
    readonly environment: string;
    readonly upstream: string;
    readonly nodes: readonly {
      readonly name: string;
      readonly is_reachable: boolean;
      readonly standing: string;
      readonly reasons: readonly string[];
    }[];
  }[];
};

/** Looks at one part. Errors that it throws are findings too: see `examine`. */
export type Check = (patient: Patient) => Promise<Finding | readonly Finding[]>;
