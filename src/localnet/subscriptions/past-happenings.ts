import type { Ledger } from '../ledger.ts';
import type { Happening } from './happenings.ts';
import type { Watch } from './watch.ts';

/**
 * What a new subscription is told of the time before it: that a transaction has landed, or has reached the level already. Of
 * everything else it is told what changes from now on.
 */
export function* pastHappenings(ledger: Ledger, watch: Watch): Generator<Happening> {
  if (watch.kind !== 'signature') return;
  const record = ledger.blocks.index.find(watch.signature);
  if (record === undefined) return;
  const slot = ledger.slotAt(watch.commitment);
  const { tellReceipt } = watch;
  if (record.slot <= slot) yield { watch, tell: () => [watch.tell(record.meta.err, slot)], isLast: true };
  else if (tellReceipt !== undefined) yield { watch, tell: () => [tellReceipt(record.slot)], isLast: false };
}
