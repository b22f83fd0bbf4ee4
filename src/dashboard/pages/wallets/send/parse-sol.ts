const DECIMAL = /^(\d{1,11})(?:\.(\d{1,9}))?$/;
const LAMPORT_DIGITS = 9;
const MAX_U64 = 2n ** 64n - 1n;

/** Returns the lamports of an amount in SOL, exactly; undefined if it is not a positive decimal with at most nine places. */
export function parseSol(text: string): bigint | undefined {
  const match = DECIMAL.exec(text.trim());
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  const lamports = BigInt(whole + fraction.padEnd(LAMPORT_DIGITS, '0'));
  return lamports > 0n && lamports <= MAX_U64 ? lamports : undefined;
}
