import { StoreClient } from '../store-client.ts';

/** Number of statements that one connection keeps prepared. The store has about as many texts; others are parsed each time. */
const MAX_STATEMENTS = 256;

/**
 * A client that prepares each statement with parameters on first use, and then only binds it: parsing and planning cost the embedded
 * PostgreSQL more than running most statements of the store.
 */
export class PreparingClient extends StoreClient {
  readonly #names = new Map<string, string>();

  override nameOf(text: string): string | undefined {
    const known = this.#names.get(text);
    if (known !== undefined || this.#names.size >= MAX_STATEMENTS) return known;
    const name = `s${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}
