import type pg from 'pg';

/** A way to reach a PostgreSQL: the common part of both kinds of store. */
export type Backend = {
  readonly kind: 'pglite' | 'postgres';
  /** Name of the store in errors and logs, without secrets. */
  readonly where: string;
  readonly clientConfig: pg.ClientConfig;
  /** Class of its connections. */
  readonly Client: new () => pg.ClientBase;
  readonly maxConnections: number;
  /** Maximum number of connections that low-priority statements, or the wallet requests of one account, may use at a time. */
  readonly connectionsPerLane: number;
  /** Directory of its files, if on this machine. */
  readonly directory?: string;
  /** Asserts that a database whose tables are up to date has all its files. */
  readonly assertSound?: (client: pg.ClientBase, schema: string) => Promise<void>;
  /** Returns the error of the first statements in words for the operator. */
  readonly explain?: (error: unknown) => unknown;
  close(): Promise<void>;
};
