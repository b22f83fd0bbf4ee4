import type { Finding, FindingKind } from './finding.ts';

/** How often something that the specification does not know was seen. */
export type CountedFinding = Finding & { readonly count: number; readonly firstSeenMs: number };

/** Stands for the names for which there was no room. */
export const OTHER_NAMES = 'other';

type Entry = Finding & {
  readonly firstSeenMs: number;
  count: number;
  /** Versions of the node that it was told of with. */
  readonly told: Set<string | undefined>;
};

export type NameCountsOptions = {
  /** Most names; one more of each kind stands for the rest. */
  readonly maxNames: number;
  readonly nowMs: () => number;
};

/** A node that has another version at every look is told of so often. */
const MAX_VERSIONS = 8;

/** Counts by name, within bounds: who answers or calls by ever new names makes it no larger. */
export class NameCounts {
  readonly #options: NameCountsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: NameCountsOptions) {
    this.#options = options;
  }

  /** How many names there are. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Counts it once; a new name only while there are fewer than `full`.
   *
   * @returns the name that it goes by, the first time with this version of the node; undefined from then on.
   */
  note({ kind, name }: Finding, version?: string, full = this.#options.maxNames): string | undefined {
    const entry = this.#find(kind, name) ?? this.#add(kind, name, full);
    entry.count += 1;
    if (entry.told.has(version) || entry.told.size >= MAX_VERSIONS) return undefined;
    entry.told.add(version);
    return entry.name;
  }

  /** In the order of first sight. */
  list(): readonly CountedFinding[] {
    return [...this.#entries.values()].map(({ told: _, ...entry }) => entry);
  }

  #find(kind: FindingKind, name: string): Entry | undefined {
    return this.#entries.get(`${kind} ${name}`);
  }

  #add(kind: FindingKind, wanted: string, full: number): Entry {
    const isFull = this.#entries.size >= Math.min(full, this.#options.maxNames);
    const name = isFull ? OTHER_NAMES : wanted;
    const known = isFull ? this.#find(kind, name) : undefined;
    if (known !== undefined) return known;
    const entry = {
      kind,
      name,
      count: 0,
      firstSeenMs: this.#options.nowMs(),
      told: new Set<string | undefined>(),
    };
    this.#entries.set(`${kind} ${name}`, entry);
    return entry;
  }
}
