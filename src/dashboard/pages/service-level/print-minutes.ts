import { formatCount } from '../../parts/format-number.ts';

/** Prints minutes with at most two decimals; used minutes are rounded up. */
export function printMinutes(minutes: string, rounding: 'up' | 'down' = 'down'): string {
  const hundredths = Number(minutes) * 100;
  const rounded = rounding === 'up' ? Math.ceil(hundredths) : Math.floor(hundredths);
  return formatCount(rounded / 100);
}

/** Prints a percentage without zeros after its second decimal. */
export function printPercent(percent: string): string {
  return `${percent.replace(/0{1,2}$/, '')} %`;
}

/** Prints a percentage of the specification without trailing zeros. */
export function printTarget(percent: string): string {
  return `${percent.replace(/\.?0+$/, '')} %`;
}
