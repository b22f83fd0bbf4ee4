/** Micro-USD in one USD. */
const MICRO = 1_000_000n;
const USD = /^(-?)(\d{1,9})(?:\.(\d{1,6}))?$/;

/**
 * Parses decimal USD, such as `25`, `0.0004` or `-3.50`, to integer micro-USD: at most 9 digits before the point and 6 after it, no
 * exponent, no plus sign. Returns undefined for anything else. No floating point is involved.
 */
export function parseUsd(text: string): bigint | undefined {
  const [, sign, whole, fraction = ''] = USD.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const amount = BigInt(whole) * MICRO + BigInt(fraction.padEnd(6, '0'));
  return sign === '-' ? -amount : amount;
}

/** Prints integer micro-USD as decimal USD, exact, with two digits after the point or as many as needed. */
export function printUsd(amount: bigint): string {
  const absolute = amount < 0n ? -amount : amount;
  const fraction = String(absolute % MICRO)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '');
  return `${amount < 0n ? '-' : ''}${absolute / MICRO}.${fraction}`;
}
