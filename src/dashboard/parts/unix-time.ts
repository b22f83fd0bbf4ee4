/** Returns the instant of a block, RFC 3339. */
export function instantOf(unixSeconds: bigint): string {
  return new Date(Number(unixSeconds) * 1_000).toISOString();
}
