/** Prints a part of a whole as a percentage of two digits that count; empty where there is nothing to share. */
export function printShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '';
  return SHARE.format(part / whole);
}

const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });
