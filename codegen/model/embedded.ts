import type { Sources } from '../load.ts';

/** Support of the embedded ledger for a feature of a node: the same, different, or none, with the reason. */
export type Verdict = 'same' | { readonly differs: string } | { readonly cannot: string };

/** Differences of the embedded ledger. Methods, params and subscriptions that are not listed are the same. */
export type Embedded = {
  readonly methods: Readonly<Record<string, Verdict>>;
  /** By method and name of the param or member: `getBlock.config.encoding`. */
  readonly params: Readonly<Record<string, Verdict>>;
  readonly subscriptions: Readonly<Record<string, Verdict>>;
  /** Every flag of the test validator. One that is ignored is accepted without effect; `value` names its argument, if it takes one. */
  readonly flags: Readonly<Record<string, Verdict | { readonly ignored: string; readonly value?: string }>>;
  /** Every cheat code, compared with those of another test ledger. */
  readonly cheats: Readonly<Record<string, Verdict | { readonly own: string }>>;
};

export const EMBEDDED_FILE = 'ledger/embedded.yaml';

/** The differences; undefined if the documents describe no embedded ledger. */
export const readEmbedded = (sources: Sources): Embedded | undefined =>
  sources.get(EMBEDDED_FILE) as Embedded | undefined;
