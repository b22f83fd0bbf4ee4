import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../base/service-error.ts';
import { epochOf } from '../epoch/epoch.ts';
import { isScheduled } from '../validator/leaders.ts';
import type { Ledger } from '../ledger.ts';

export const getSlotLeaders: LedgerHandler<Ledger, 'getSlotLeaders'> = (ledger, startSlot, limit) => {
  const count = Number(limit);
  const start = BigInt(startSlot);
  const now = ledger.slotAt('finalized');
  const [first, last] = [epochOf(start), epochOf(start + BigInt(limit) - 1n)];
  for (let epoch = first; epoch <= last; epoch++) {
    if (!isScheduled(epoch, now)) throw serviceError('invalidSlotRange', { epoch });
  }
  return new Array<string>(count).fill(ledger.genesis.identity.address);
};
