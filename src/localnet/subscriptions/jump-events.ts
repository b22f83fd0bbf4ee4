import type { Commitment } from '../blocks/commitment.ts';
import type { Jump } from '../ledger-follower.ts';
import type { Ledger } from '../ledger.ts';
import { isSameAccount } from '../accounts/left-state.ts';
import { eventsOfAccounts, type LedgerEvent } from './ledger-events.ts';
import { pastEvents } from './past-events.ts';
import type { WatchIndex } from './watch-index.ts';

const LEVELS: readonly Commitment[] = ['processed', 'confirmed', 'finalized'];

/**
 * Yields the watches that a restore affects: accounts that differ at their level, as they are at each level now; signatures that have landed in the state
 * gone to; and last the slots, which go on from there.
 */
export function* eventsOfJump(ledger: Ledger, index: WatchIndex, jump: Jump): Generator<LedgerEvent> {
  for (const level of LEVELS) {
    const { signatures } = index.levels[level];
    yield* eventsOfAccounts(ledger, index.levels[level], {
      slot: ledger.slotAt(level),
      written: differingAt(ledger, jump, level),
    });
    for (const watch of [...signatures.all()]) yield* pastEvents(ledger, watch);
  }
  for (const watch of index.slots) yield { watch, notify: () => watch.notify(jump), isLast: false };
}

function* differingAt(ledger: Ledger, { differing, before }: Jump, level: Commitment): Generator<string> {
  const slot = ledger.slotAt(level);
  for (const address of differing)
    if (!isSameAccount(before(address, level), ledger.accounts.read(address, slot))) yield address;
}
