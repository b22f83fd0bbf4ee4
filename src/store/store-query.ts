import pg from 'pg';
import type { PreparedStatements } from './prepared-statements.ts';
import { type SentValue, toSentValue } from './sent-value.ts';
import type { CommandComplete, DataRow, RowDescription, Settle, Submission } from './submission.ts';

export type StoreResult = {
  /** The first word of PostgreSQL's tag, such as `INSERT`. */
  readonly command: string;
  readonly rowCount: number | null;
  readonly rows: readonly unknown[];
};

export type StoreQueryOptions = {
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  readonly types?: pg.CustomTypesConfig | undefined;
  /** True: rows are arrays in the order of the columns; else objects by their names. */
  readonly hasArrayRows?: boolean;
};

type Column = { readonly name: string; readonly parse: (text: string) => unknown };

/** One statement and its answer. Of several in one text, the result is that of the last. */
export class StoreQuery implements Submission {
  readonly #text: string;
  readonly #values: SentValue[];
  readonly #types: pg.CustomTypesConfig;
  readonly #hasArrayRows: boolean;
  readonly #prepared: PreparedStatements;
  readonly #settle: Settle<StoreResult>;
  #isParsedFirst = false;
  #columns: readonly Column[] = [];
  #rows: unknown[] = [];
  #tag = '';
  #fault: Error | undefined;

  /** @throws TypeError for a value that cannot be sent. */
  constructor(
    { text, values = [], types = pg.types, hasArrayRows = false }: StoreQueryOptions,
    prepared: PreparedStatements,
    settle: Settle<StoreResult>,
  ) {
    this.#text = text;
    this.#values = values.map(toSentValue);
    this.#types = types;
    this.#hasArrayRows = hasArrayRows;
    this.#prepared = prepared;
    this.#settle = settle;
  }

  submit(connection: pg.Connection): void {
    if (this.#values.length === 0) {
      connection.query(this.#text);
      return;
    }
    connection.stream.cork();
    this.write(connection);
    connection.sync();
    connection.stream.uncork();
  }

  /** Sends everything but the Sync. */
  write(connection: pg.Connection): void {
    this.#isParsedFirst = !this.#prepared.has(this.#text);
    const statement = this.#prepared.prepare(connection, this.#text);
    connection.bind({ statement, values: this.#values }, true);
    connection.describe({ type: 'P' }, true);
    connection.execute(null, true);
  }

  handleRowDescription({ fields }: RowDescription): void {
    this.#rows = [];
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#types.getTypeParser(dataTypeID, 'text'),
    }));
  }

  handleDataRow({ fields }: DataRow): void {
    if (this.#fault !== undefined) return;
    try {
      this.#rows.push(this.#hasArrayRows ? this.#readArray(fields) : this.#readObject(fields));
    } catch (error) {
      this.#fault = error instanceof Error ? error : new Error('a value cannot be read', { cause: error });
    }
  }

  handleCommandComplete({ text }: CommandComplete): void {
    this.#tag = text;
  }

  handleEmptyQuery(): void {
    this.#tag = '';
  }

  handleReadyForQuery(): void {
    if (this.#fault !== undefined) {
      this.#settle(this.#fault);
      return;
    }
    const [command = ''] = this.#tag.split(' ', 1);
    const count = / (\d+)$/.exec(this.#tag)?.[1];
    this.#settle(null, {
      ...{ command, rowCount: count === undefined ? null : Number(count) },
      rows: this.#rows,
    });
  }

  handleError(error: Error): void {
    if (this.#isParsedFirst) this.#prepared.doubt(this.#text);
    this.#settle(error);
  }

  #readArray(fields: DataRow['fields']): unknown[] {
    return this.#columns.map(({ parse }, at) => parseField(parse, fields[at]));
  }

  #readObject(fields: DataRow['fields']): Record<string, unknown> {
    const row: Record<string, unknown> = {};
    for (const [at, { name, parse }] of this.#columns.entries()) row[name] = parseField(parse, fields[at]);
    return row;
  }
}

function parseField(parse: Column['parse'], field: string | null | undefined): unknown {
  return field === null || field === undefined ? null : parse(field);
}
