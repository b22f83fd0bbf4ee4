import type { Ledger } from '../ledger.ts';

/** Stops the clock of a ledger; no more slots are closed by time. */
export function pauseClock({ clock, pace }: Ledger): void {
  clock.stop();
  pace.announce();
}

/** Resumes the clock of a ledger where it was stopped; slots are closed by time again. */
export function resumeClock({ clock, pace }: Ledger): void {
  clock.start();
  pace.announce();
}
