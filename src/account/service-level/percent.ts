const DECIMALS = 4;

/** A percentage in ten-thousandths of a percent: 1,000,000 is all. */
export type Share = bigint;

export const ALL: Share = 1_000_000n;

/** Returns a percentage of the specification, which has up to four decimals, exactly. */
export function shareOf(percent: number): Share {
  const [whole = '', part = ''] = String(percent).split('.');
  return BigInt(`${whole}${part.padEnd(DECIMALS, '0')}`);
}

/** Prints a share as decimal text in percent with four digits, such as `99.9500`. */
export function printPercent(share: Share): string {
  const digits = String(share < 0n ? -share : share).padStart(DECIMALS + 1, '0');
  return `${share < 0n ? '-' : ''}${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`;
}
