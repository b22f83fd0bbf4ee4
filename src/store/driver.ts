import type pg from 'pg';

// What is used of the driver and is not in its types.

/** A connection, as the driver's own queries use it. */
export type DriverConnection = pg.Connection & { readonly submittedNamedStatements: Record<string, string> };

export type DriverCallback = (error: Error | null, result?: unknown) => void;

/** What the driver's client calls of a query. */
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
  /** Whether nothing is under way. */
  readonly readyForQuery: boolean;
  /** As PostgreSQL last said: `I`, in no transaction; `T`, in one; `E`, in one that has failed. */
  readonly getTransactionStatus: () => string | null;
  /** The name of a statement that the client keeps prepared; not of every client. */
  readonly nameOf?: (text: string) => string | undefined;
};

/** Whether a connection is in no transaction, as far as PostgreSQL has said. */
export function isOutside(client: DriverClient): boolean {
  return client.getTransactionStatus() === 'I';
}
