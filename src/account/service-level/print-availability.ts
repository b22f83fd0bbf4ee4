import { MILLIONTHS } from './month-span.ts';
import { ALL, printPercent, type Share } from './error-budget.ts';
import type { Availability } from './read-availability.ts';

/** Returns which part of the minutes was available, rounded down; all, where no minute counts. */
export function availableShare({
  minutes,
  unavailable,
}: Pick<Availability, 'minutes' | 'unavailable'>): Share {
  if (minutes === 0) return ALL;
  const total = BigInt(minutes) * MILLIONTHS;
  return ((total - unavailable) * ALL) / total;
}

/** Prints availability in percent with four digits, rounded down: never more than was reached. */
export function printAvailability(availability: Pick<Availability, 'minutes' | 'unavailable'>): string {
  return printPercent(availableShare(availability));
}

/** Prints millionths of a minute as decimal text in minutes, without trailing zeros. */
export function printMinutes(millionths: bigint): string {
  const digits = String(millionths < 0n ? -millionths : millionths).padStart(7, '0');
  const part = digits.slice(-6).replace(/0+$/, '');
  return `${millionths < 0n ? '-' : ''}${digits.slice(0, -6)}${part === '' ? '' : `.${part}`}`;
}
