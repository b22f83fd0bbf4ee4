import { createEvent, type WebhookEvent } from '../event.ts';
import { isWanted } from '../wanted-types.ts';

/** The types of events of a ledger. */
export const LEDGER_TYPES = [
  'ledger.transaction',
  'ledger.balance',
  'ledger.signature',
  'ledger.gap',
] as const;

/** A fact of a ledger, or a gap in the known facts, before it becomes an event of one webhook. */
export type LedgerFact = {
  readonly type: (typeof LEDGER_TYPES)[number];
  readonly slot: number;
  /** Seconds since the Unix epoch. */
  readonly blockTime?: number | undefined;
  /** The members of its data in addition to network, slot, position and time. */
  readonly data: Readonly<Record<string, unknown>>;
};

/** The reason why events may be missing: see the schema LedgerGapReason. */
export type GapReason = 'too_old' | 'ledger_changed' | 'not_reached';

/** Returns the fact that events may be missing; they continue after `slot`. */
export function gapFact(
  slot: number,
  reason: GapReason,
  { from, to }: { readonly from?: number; readonly to?: number },
): LedgerFact {
  const slots = {
    ...(from !== undefined && { from_slot: from }),
    ...(to !== undefined && { to_slot: to }),
  };
  return { type: 'ledger.gap', slot, data: { ...slots, reason } };
}

/** True for an event that a webhook with these `events` gets; every webhook gets gaps. */
export function isWantedFact(patterns: readonly string[], { type }: Pick<LedgerFact, 'type'>): boolean {
  return type === 'ledger.gap' || isWanted(patterns, type);
}

/** True for `events` that match some event of a ledger. */
export function wantsLedger(patterns: readonly string[]): boolean {
  return LEDGER_TYPES.some((type) => type !== 'ledger.gap' && isWanted(patterns, type));
}

/** Returns a fact as the event of a webhook. `position`: its place; the same position has the same id. */
export function ledgerEvent(
  { webhookId, network, position }: LedgerPosition,
  { type, slot, blockTime, data }: LedgerFact,
  nowMs: number,
): WebhookEvent {
  const id = `ledger_${webhookId.replaceAll('-', '')}_${position}`;
  const at = new Date(blockTime === undefined ? nowMs : blockTime * 1_000).toISOString();
  const time = blockTime === undefined ? {} : { block_time: blockTime };
  return createEvent(id, type, at, { network, slot, position, ...data, ...time });
}

/** The position of an event in the feed of a webhook. */
export type LedgerPosition = {
  readonly webhookId: string;
  readonly network: string;
  readonly position: number;
};
