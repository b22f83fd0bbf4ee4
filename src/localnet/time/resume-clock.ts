import type { Ledger } from '../ledger.ts';

/** Lets the clock of a ledger go on from where it was stopped; slots are closed by time again. */
export function resumeClock({ clock, pace }: Ledger): void {
  clock.start();
  pace.announce();
}
