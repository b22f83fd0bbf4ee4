import type { Sources } from '../load.ts';

/** The way in which the embedded ledger has something of a node: the same, otherwise, or not at all, with the reason. */
export type Verdict = 'same' | { readonly differs: string } | { readonly cannot: string };

/** Differences of the embedded ledger. Methods, params and subscriptions that are not named are the same. */
export type Embedded = {
  readonly methods: Readonly<Record<string, Verdict>>;
  /** By method and name of the param or member: `getBlock.config.encoding`. */
  readonly params: Readonly<Record<string, Verdict>>;
  readonly subscriptions: Readonly<Record<string, Verdict>>;
  /** Every flag of the test validator. One that is ignored is accepted without effect; `value` names what it takes, if it takes something. */
  readonly flags: Readonly<Record<string, Verdict | { readonly ignored: string; readonly value?: string }>>;
  /** Every cheat code; those that another ledger for tests has too, beside it. */
  readonly cheats: Readonly<Record<string, Verdict | { readonly own: string }>>;
};

export const EMBEDDED_FILE = 'ledger/embedded.yaml';

/** The differences; absent where the documents describe no embedded ledger. */
export const readEmbedded = (sources: Sources): Embedded | undefined =>
  sources.get(EMBEDDED_FILE) as Embedded | undefined;
