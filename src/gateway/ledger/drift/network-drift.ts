import type { Logger } from 'pino';
import type { PubsubNode } from '../../nodes/pubsub-link.ts';
import type { Finding, FindingKind } from './finding.ts';
import { NodeSamples, type NodeSamplesOptions, type SampleOutcome } from './node-samples.ts';
import { NO_NAME, printableName } from './printable-name.ts';

/** Something in a node's answer that is not in the specification. */
export type DriftFinding = CountedFinding & { readonly node: string };

/** A method that clients call and that the specification does not have. */
export type UnknownMethod = Pick<CountedFinding, 'name' | 'count' | 'firstSeenMs'>;

export type NodeIdentity = {
  /** The node's name in metrics and logs; never an address that contains a key. */
  readonly nodeName: string;
  /** Returns the version that the node reports; undefined until it is known. */
  readonly version: () => string | undefined;
};

/** The checks of one network against the specification. */
export type NetworkDrift = {
  /** Returns the node with samples of its answers, over HTTP and WebSocket, checked. */
  readonly watchNode: <N extends PubsubNode>(node: N, identity: NodeIdentity) => N;
  /** Counts a call of a method that is not in the specification. */
  readonly noteUnknownMethod: (method: string) => void;
  /** Returns all findings, node by node, in the order of their first occurrence. */
  readonly snapshot: () => readonly DriftFinding[];
  /** Returns the unknown methods in the order of their first calls: at most 20, and one that stands for all others. */
  readonly unknownMethods: () => readonly UnknownMethod[];
};

export type NetworkDriftOptions = Pick<NodeSamplesOptions, 'room' | 'thread' | 'random'> & {
  readonly network: string;
  readonly log: Pick<Logger, 'warn'>;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  readonly countSample: (node: string, outcome: SampleOutcome) => void;
  /** Receives the samples of a node, to call their `tick`; undefined: no answers of nodes are checked. */
  readonly onSamples: ((samples: NodeSamples) => void) | undefined;
};

/** Per node. */
const MAX_NAMES = 100;
/** Of the methods that clients call: most are misspelled. */
const MAX_METHODS = 20;
/** Most new names from one answer, so that a strange one leaves room for others. */
const MAX_NEW_PER_ANSWER = 20;
/** The form of method names, among texts that look like names. */
const METHOD_NAME = /^[A-Za-z0-9_.]+$/;

/** Counts, logs and lists what nodes of one network answer beyond the specification; what clients call beyond it is only counted. */
export function createNetworkDrift(options: NetworkDriftOptions): NetworkDrift {
  const { network, log, nowMs, countSample, onSamples } = options;
  const called = new Map<string, { readonly firstSeenMs: number; count: number }>();
  const answered = new Map<string, NameCounts>();
  const samplesOf = ({ nodeName, version }: NodeIdentity): NodeSamples => {
    const counts = answered.get(nodeName) ?? new NameCounts({ maxNames: MAX_NAMES, nowMs });
    answered.set(nodeName, counts);
    const noteAll = (findings: readonly Finding[]): void => {
      const nodeVersion = version();
      const full = counts.size + MAX_NEW_PER_ANSWER;
      for (const finding of findings) {
        const { kind } = finding;
        const name = counts.note(finding, nodeVersion, full);
        if (name === undefined) continue;
        const details = { network, node: nodeName, version: nodeVersion, kind, name };
        log.warn(details, 'a ledger node answers what the specification does not know');
      }
    };
    return new NodeSamples({
      ...options,
      onFindings: noteAll,
      onOutcome: (outcome) => countSample(nodeName, outcome),
    });
  };
  return {
    watchNode: (node, identity) => {
      if (onSamples === undefined) return node;
      const samples = samplesOf(identity);
      onSamples(samples);
      return {
        ...node,
        upstream: samples.watch(node.upstream),
        onMessage: samples.takeMessage,
      };
    },
    noteUnknownMethod: (method) => {
      const isName = METHOD_NAME.test(method) && printableName(method) !== NO_NAME;
      const isKept = isName && (called.has(method) || called.size < MAX_METHODS);
      const name = isKept ? method : OTHER_NAMES;
      const entry = called.get(name) ?? { firstSeenMs: nowMs(), count: 0 };
      entry.count += 1;
      called.set(name, entry);
    },
    snapshot: () =>
      [...answered].flatMap(([node, counts]) => counts.list().map((each) => ({ node, ...each }))),
    unknownMethods: () => [...called].map(([name, entry]) => ({ name, ...entry })),
  };
}

/** A finding with its count and first time. */
type CountedFinding = Finding & { readonly count: number; readonly firstSeenMs: number };

/** The name that stands for all names beyond the limit. */
const OTHER_NAMES = 'other';

type Entry = Finding & {
  readonly firstSeenMs: number;
  count: number;
  /** The versions of the node with which it was reported. */
  readonly reported: Set<string | undefined>;
};

type NameCountsOptions = {
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
