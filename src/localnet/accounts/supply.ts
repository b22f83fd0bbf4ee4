import { STAKE_PROGRAM } from '../addresses/program-ids.ts';
import type { Ledger } from '../ledger.ts';
import { isLocked } from '../validator/stakes.ts';

/** Lamports by address of the accounts out of circulation: stake that is locked up. */
export function nonCirculating(
  { accounts, blocks, epochs }: Ledger,
  slot: bigint,
): ReadonlyMap<string, bigint> {
  const time = blocks.time(slot);
  const locked = accounts
    .ownedBy(STAKE_PROGRAM, slot)
    .filter(({ account }) => isLocked(account, epochs.epochOf(slot), time));
  return new Map(locked.map(({ address, account }) => [address, account.lamports]));
}
