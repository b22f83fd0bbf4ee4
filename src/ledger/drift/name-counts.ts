import type { Finding, FindingKind } from './finding.ts';

/** A finding with its count and first time. */
export type CountedFinding = Finding & { readonly count: number; readonly firstSeenMs: number };

/** The name that stands for all names beyond the limit. */
export const OTHER_NAMES = 'other';

type Entry = Finding & {
  readonly firstSeenMs: number;
  count: number;
  /** The versions of the node with which it was reported. */
  readonly reported: Set<string | undefined>;
};

export type NameCountsOptions = {
  /** Most names; one more of each kind stands for the rest. */
  readonly maxNames: number;
  readonly nowMs: () => number;
};

/** The most reports of one name for a node that changes its version all the time. */
const MAX_VERSIONS = 8;

/** Counts by name, with bounded memory: ever new names in answers or calls do not make it grow. */
export class NameCounts {
  readonly #options: NameCountsOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: NameCountsOptions) {
    this.#options = options;
  }

  /** The number of names. */
  get size(): number {
    return this.#entries.size;
  }

  /**
   * Counts a finding; a new name is added only while there are fewer than `full`.
   *
   * @returns the name under which it is counted, the first time with this version of the node; undefined after that.
   */
  note({ kind, name }: Finding, version?: string, full = this.#options.maxNames): string | undefined {
    const entry = this.#find(kind, name) ?? this.#add(kind, name, full);
    entry.count += 1;
    if (entry.reported.has(version) || entry.reported.size >= MAX_VERSIONS) return undefined;
    entry.reported.add(version);
    return entry.name;
  }

  /** Returns the findings in the order of their first occurrence. */
  list(): readonly CountedFinding[] {
    return [...this.#entries.values()].map(({ reported: _, ...entry }) => entry);
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
      reported: new Set<string | undefined>(),
    };
    this.#entries.set(`${kind} ${name}`, entry);
    return entry;
  }
}
