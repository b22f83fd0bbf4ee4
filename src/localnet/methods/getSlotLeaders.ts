import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import type { Ledger } from '../ledger.ts';

export const getSlotLeaders: LedgerHandler<Ledger, 'getSlotLeaders'> = (ledger, startSlot, limit) => {
  const count = Number(limit);
  const start = BigInt(startSlot);
  const now = ledger.slotAt('finalized');
  const { epochs } = ledger;
  const [first, last] = [epochs.epochOf(start), epochs.epochOf(start + BigInt(limit) - 1n)];
  for (let epoch = first; epoch <= last; epoch++) {
    if (epoch > epochs.leaderScheduleEpoch(now)) throw serviceError('invalidSlotRange', { epoch });
  }
  return new Array<string>(count).fill(ledger.genesis.identity.address);
};
