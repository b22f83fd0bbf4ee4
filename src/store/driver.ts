import type pg from 'pg';

// Members of the driver that its types lack.

/** A connection, as the driver's own queries use it. */
export type DriverConnection = pg.Connection & { readonly submittedNamedStatements: Record<string, string> };

export type DriverCallback = (error: Error | null, result?: unknown) => void;

/** The methods of a query that the driver's client calls. */
export type DriverQuery = {
  readonly name?: string | undefined;
  readonly text: string;
  callback: DriverCallback;
  submit(connection: DriverConnection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: DriverConnection): void;
  handleEmptyQuery(connection: DriverConnection): void;
  handleReadyForQuery(connection: DriverConnection): void;
  handleError(error: Error, connection: DriverConnection): void;
};

export type DriverClient = pg.ClientBase & {
  /** True when nothing is under way. */
  readonly readyForQuery: boolean;
  /** The last state reported by PostgreSQL: `I`, in no transaction; `T`, in one; `E`, in one that has failed. */
  readonly getTransactionStatus: () => string | null;
  /** Returns the name of a statement that the client keeps prepared; not every client has this. */
  readonly nameOf?: (text: string) => string | undefined;
};

/** True when a connection is in no transaction, as far as PostgreSQL has reported. */
export function isOutside(client: DriverClient): boolean {
  return client.getTransactionStatus() === 'I';
}
