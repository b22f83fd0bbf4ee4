import type { LedgerCommitment } from '../../../store/webhook-tables.ts';
import type { LedgerFilter } from './ledger-filter.ts';
import type { LedgerPlace } from './ledger-source.ts';

/** The events of a ledger that a webhook is to get. */
export type LedgerChoice = {
  readonly network: string;
  readonly commitment: LedgerCommitment;
  /** Empty: no events. */
  readonly filters: readonly LedgerFilter[];
  /** Where they begin, for a webhook that gets none of this network yet; undefined: the ledger could not be reached. */
  readonly start: LedgerPlace | undefined;
};
