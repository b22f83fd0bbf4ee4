import type pg from 'pg';

type Prepared = {
  readonly name: string;
  /** `doubted`: PostgreSQL has it or not. */
  state: 'unknown' | 'parsed' | 'doubted';
};

/** The statements that a connection keeps prepared, by text. */
export class PreparedStatements {
  readonly #max: number;
  readonly #known = new Map<string, Prepared>();

  /** @param max how many are kept at most; others are parsed each time. */
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
    // To close a statement that does not exist is no error (protocol 3.0, "Close").
    if (known?.state === 'doubted') connection.close({ type: 'S', name }, true);
    connection.parse({ name, text, types: [] }, true);
    if (known !== undefined) known.state = 'parsed';
    return name;
  }

  /** A statement was sent to be parsed, and something failed. */
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
