/** Returns integer micro-USD of exact decimal text in USD, as the account service gives it. Throws TypeError for other text. */
export function microOf(usd: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(usd) ?? [];
  if (whole === undefined) throw new TypeError(`no amount in USD: ${usd}`);
  const amount = BigInt(whole + fraction.padEnd(6, '0'));
  return sign === '-' ? -amount : amount;
}
