const PLAIN = new Intl.NumberFormat('en', { maximumFractionDigits: 20 });
const MONEY = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  minimumFractionDigits: 2,
  maximumFractionDigits: 6,
});

/** Prints a count with separators; a bigint keeps every digit. */
export function formatCount(value: number | bigint): string {
  return PLAIN.format(value);
}

/** Prints an amount of integer micro-USD, exactly. */
export function formatMicroUsd(value: number | bigint): string {
  const micro = BigInt(value);
  const digits = (micro < 0n ? -micro : micro).toString().padStart(7, '0');
  const text = `${micro < 0n ? '-' : ''}${digits.slice(0, -6)}.${digits.slice(-6)}`;
  return MONEY.format(text as `${number}`);
}

/** Prints an amount of USD that is decimal text, exactly. */
export function formatUsd(usd: string): string {
  return MONEY.format(usd as `${number}`);
}

const LAMPORT_DIGITS = 9;

/** Prints lamports as SOL, exactly, without zeros at the end. */
export function formatSol(lamports: bigint): string {
  const digits = (lamports < 0n ? -lamports : lamports).toString().padStart(LAMPORT_DIGITS + 1, '0');
  const text = `${lamports < 0n ? '-' : ''}${digits.slice(0, -LAMPORT_DIGITS)}.${digits.slice(-LAMPORT_DIGITS)}`;
  return PLAIN.format(text as `${number}`);
}
