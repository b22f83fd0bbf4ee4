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

/** Prints a part of a whole as a percentage with two significant digits; empty for a whole of zero. */
export function printShare(part: number, whole: number): string {
  if (part === 0 || whole === 0) return '';
  return SHARE.format(part / whole);
}

const SHARE = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 });

/** Returns the name of a row of the price list for people: `managed_signing` is Managed signing. */
export function priceRowName(row: string): string {
  const words = row.replaceAll('_', ' ').replace(/\bhd\b/g, 'HD');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns integer micro-USD of exact decimal text in USD, as the account service gives it. Throws TypeError for other text. */
export function microOf(usd: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(usd) ?? [];
  if (whole === undefined) throw new TypeError(`invalid amount in USD: ${usd}`);
  const amount = BigInt(whole + fraction.padEnd(6, '0'));
  return sign === '-' ? -amount : amount;
}

const SHOWN = 6;

/** Shortens a long text to its first and last six characters; a short one is unchanged. */
export function shorten(text: string): string {
  return text.length <= 2 * SHOWN + 1 ? text : `${text.slice(0, SHOWN)}…${text.slice(-SHOWN)}`;
}
