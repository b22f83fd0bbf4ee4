import type pg from 'pg';

/** One way to reach a PostgreSQL: what both kinds of store are made from. */
export type Backend = {
  readonly kind: 'pglite' | 'postgres';
  /** Names the store in errors and logs; without secrets. */
  readonly where: string;
  readonly clientConfig: pg.ClientConfig;
  /** What a connection is made of. */
  readonly Client: new () => pg.ClientBase;
  readonly maxConnections: number;
  /** Where its files lie, if that is on this machine. */
  readonly directory?: string;
  /** Holds that a database whose tables are up to date has all its files. */
  readonly assertSound?: (client: pg.ClientBase, schema: string) => Promise<void>;
  /** What the first statements failed with, as its operator is told. */
  readonly explain?: (error: unknown) => unknown;
  close(): Promise<void>;
};
