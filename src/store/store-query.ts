import pg from 'pg';

/** The columns of the rows that follow. */
export type RowDescription = {
  readonly fields: readonly Pick<pg.FieldDef, 'name' | 'dataTypeID' | 'format'>[];
};
export type DataRow = { readonly fields: readonly (string | null)[] };
/** The end of a statement; `text` is its tag, such as `INSERT 0 1`. */
export type CommandComplete = { readonly text: string };

/** A query as the driver submits it: the interface of pg-cursor and pg-query-stream, of which the driver's types have only `submit`. */
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

/** One statement and its answer. For several statements in one text, the last result counts. */
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
      command,
      rowCount: count === undefined ? null : Number(count),
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

/** A value in its wire form: text in PostgreSQL's format of its type, bytes unchanged. */
type SentValue = string | Buffer | null;

/** @throws TypeError for a value without a wire form. */
export function toSentValue(value: unknown): SentValue {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  return Array.isArray(value) ? arrayText(value) : scalarText(value);
}

function scalarText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (value instanceof Date) return value.toISOString();
  throw new TypeError(`a statement cannot have a value of type ${typeof value}`);
}

/** Returns an array in PostgreSQL's format (PostgreSQL 17, section 8.15.6). */
function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(',')}}`;
}

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (Array.isArray(value)) return arrayText(value);
  if (value instanceof Uint8Array) return `"\\\\x${Buffer.from(value).toString('hex')}"`;
  return `"${scalarText(value).replace(/["\\]/g, '\\$&')}"`;
}

type Prepared = {
  readonly name: string;
  /** `doubted`: PostgreSQL may or may not have it. */
  state: 'unknown' | 'parsed' | 'doubted';
};

/** The prepared statements of a connection, by text. */
export class PreparedStatements {
  readonly #max: number;
  readonly #known = new Map<string, Prepared>();

  /** @param max maximum number of prepared statements; others are parsed each time. */
  constructor(max: number) {
    this.#max = max;
  }

  has(text: string): boolean {
    return this.#known.get(text)?.state === 'parsed';
  }

  /** Sends a statement to be parsed unless it is prepared. @returns the name to bind it by. */
  prepare(connection: pg.Connection, text: string): string {
    const known = this.#known.get(text) ?? this.#add(text);
    if (known?.state === 'parsed') return known.name;
    const name = known?.name ?? '';
    // Closing a statement that does not exist is not an error (protocol 3.0, "Close").
    if (known?.state === 'doubted') connection.close({ type: 'S', name }, true);
    connection.parse({ name, text, types: [] }, true);
    if (known !== undefined) known.state = 'parsed';
    return name;
  }

  /** Call it when something failed after a statement was sent to be parsed. */
  doubt(text: string): void {
    const known = this.#known.get(text);
    if (known !== undefined) known.state = 'doubted';
  }

  #add(text: string): Prepared | undefined {
    if (this.#known.size >= this.#max) return undefined;
    const added: Prepared = { name: `s${this.#known.size}`, state: 'unknown' };
    this.#known.set(text, added);
    return added;
  }
}
