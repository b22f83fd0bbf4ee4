import type { LedgerHandler } from '../../../generated/ledger/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { viewBank } from '../bank/bank-view.ts';
import type { Ledger } from '../ledger.ts';
import { withText } from '../printed-result.ts';

type Schedule = Readonly<Record<string, readonly bigint[]>>;

/** Cached by validator key and epoch length: the schedule is the same in all epochs of one length, and up to 3 MB of text. */
const schedules = new Map<string, Schedule>();

export const getLeaderSchedule: LedgerHandler<Ledger, 'getLeaderSchedule'> = (
  ledger,
  slotOrConfig,
  trailing,
) => {
  const isConfig = typeof slotOrConfig === 'object' && slotOrConfig !== null;
  const config = isConfig ? slotOrConfig : trailing;
  const { slot } = viewBank(ledger, config);
  const epoch = ledger.epochs.epochOf(isConfig ? slot : BigInt(slotOrConfig ?? slot));
  if (epoch > ledger.epochs.leaderScheduleEpoch(slot)) return null;
  const { identity, voteAddress } = ledger.genesis;
  const asked = config?.identity ?? identity.address;
  if (asked !== identity.address) throw serviceError('leaderNotScheduled', { identity: asked });
  return scheduleOf(
    config?.keyByVoteAccount === true ? voteAddress : identity.address,
    ledger.epochs.slotsIn(epoch),
  );
};

/** The one validator leads every slot of an epoch. */
function scheduleOf(key: string, slotsInEpoch: bigint): Schedule {
  const known = schedules.get(`${key} ${slotsInEpoch}`);
  if (known !== undefined) return known;
  const slots = Array.from({ length: Number(slotsInEpoch) }, (_, index) => BigInt(index));
  const schedule = withText({ [key]: slots }, `{"${key}":[${slots.join(',')}]}`);
  schedules.set(`${key} ${slotsInEpoch}`, schedule);
  return schedule;
}
