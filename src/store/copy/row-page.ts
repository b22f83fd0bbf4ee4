/** A value of a row as PostgreSQL prints it. */
export type PrintedValue = string | null;

/** Rows of a table, in the order in which they were read. */
export type RowPage = {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly PrintedValue[])[];
};
