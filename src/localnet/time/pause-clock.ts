import type { Ledger } from '../ledger.ts';

/** Stops the clock of a ledger; no more slots are closed by time. */
export function pauseClock({ clock, pace }: Ledger): void {
  clock.stop();
  pace.announce();
}
