import { formatCount } from '../../parts/format-number.ts';

/** Prints minutes that are decimal text with two digits after the point at most; what is used is never shown as less. */
export function printMinutes(minutes: string, rounding: 'up' | 'down' = 'down'): string {
  const hundredths = Number(minutes) * 100;
  const rounded = rounding === 'up' ? Math.ceil(hundredths) : Math.floor(hundredths);
  return formatCount(rounded / 100);
}

/** Prints a percentage that is decimal text without the zeros behind its second digit after the point. */
export function printPercent(percent: string): string {
  return `${percent.replace(/0{1,2}$/, '')} %`;
}

/** Prints a percentage of the specification without zeros at the end. */
export function printTarget(percent: string): string {
  return `${percent.replace(/\.?0+$/, '')} %`;
}
