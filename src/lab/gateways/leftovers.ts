/** Records what a run creates outside of its own process until it is removed, so that a run that ends at once can list it. */
export class Leftovers {
  readonly #parts = new Set<() => readonly string[]>();

  /** Adds a part. @param describe returns it in words; nothing while it is not there. @returns a function that takes it out again. */
  add(describe: () => readonly string[]): () => void {
    this.#parts.add(describe);
    return () => void this.#parts.delete(describe);
  }

  list(): readonly string[] {
    return [...this.#parts].flatMap((describe) => describe());
  }
}
