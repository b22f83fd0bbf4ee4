import type { Ledger } from '../ledger.ts';
import type { LedgerEvent } from './ledger-events.ts';
import type { Watch } from './watch.ts';

/**
 * Yields past events for a new subscription: that a transaction has landed, or has reached the level already. All other kinds notify of
 * changes from now on.
 */
export function* pastEvents(ledger: Ledger, watch: Watch): Generator<LedgerEvent> {
  if (watch.kind !== 'signature') return;
  const record = ledger.blocks.index.find(watch.signature);
  if (record === undefined) return;
  const slot = ledger.slotAt(watch.commitment);
  const { notifyReceipt } = watch;
  if (record.slot <= slot) yield { watch, notify: () => [watch.notify(record.meta.err, slot)], isLast: true };
  else if (notifyReceipt !== undefined)
    yield { watch, notify: () => [notifyReceipt(record.slot)], isLast: false };
}
