/** Returns the larger one. */
export function max(a: bigint, b: bigint): bigint {
  return a > b ? a : b;
}

/** Returns the smaller one. */
export function min(a: bigint, b: bigint): bigint {
  return a < b ? a : b;
}
