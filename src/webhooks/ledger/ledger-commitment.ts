import type { LEDGER_COMMITMENTS } from '../../store/webhook-tables.ts';

/** How sure a block must be before its events are sent. */
export type LedgerCommitment = (typeof LEDGER_COMMITMENTS)[number];
