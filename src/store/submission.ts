import type pg from 'pg';

/** The columns of the rows that follow. */
export type RowDescription = {
  readonly fields: readonly Pick<pg.FieldDef, 'name' | 'dataTypeID' | 'format'>[];
};
export type DataRow = { readonly fields: readonly (string | null)[] };
/** The end of a statement; `text` is its tag, such as `INSERT 0 1`. */
export type CommandComplete = { readonly text: string };

/** What the driver sends and tells the answer of: the interface of pg-cursor and pg-query-stream, which the driver's types name `submit` of. */
export type Submission = pg.Submittable & {
  handleRowDescription(message: RowDescription): void;
  handleDataRow(message: DataRow): void;
  handleCommandComplete(message: CommandComplete): void;
  handleEmptyQuery(): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
};

/** Called once with the outcome. */
export type Settle<T = unknown> = (error: Error | null, result?: T) => void;
