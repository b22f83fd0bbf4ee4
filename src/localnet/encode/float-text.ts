/** Splits a double into `mantissa * 2^exponent`, both integers. */
function splitDouble(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const biased = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  return { mantissa, exponent: Math.max(biased, 1) - 1075 };
}

/**
 * Prints a finite double with exactly `decimals` places, rounded half to even from its exact value: the text that token programs print for
 * an amount. (`toFixed` stops at 100 places and rounds halves up.)
 */
export function fixedText(value: number, decimals: number): string {
  const { mantissa, exponent } = splitDouble(value);
  const scaled = mantissa * 10n ** BigInt(decimals);
  const digits = roundShift(scaled, exponent)
    .toString()
    .padStart(decimals + 1, '0');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return decimals === 0 ? sign + digits : `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Prints the shortest text that parses to the same double, never with an exponent. */
export function shortestText(value: number): string {
  const text = Object.is(value, -0) ? '-0' : value.toString();
  const parts = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/.exec(text);
  if (parts === null) return text.replace('Infinity', 'inf');
  const [, sign = '', first = '', more = '', exponent = ''] = parts;
  const point = 1 + Number(exponent);
  const digits = first + more;
  return point > 0 ? sign + digits.padEnd(point, '0') : `${sign}0.${'0'.repeat(-point)}${digits}`;
}

function roundShift(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value << BigInt(exponent);
  const unit = 1n << BigInt(-exponent);
  const floor = value / unit;
  const twice = (value % unit) * 2n;
  const up = twice > unit || (twice === unit && floor % 2n === 1n);
  return up ? floor + 1n : floor;
}
