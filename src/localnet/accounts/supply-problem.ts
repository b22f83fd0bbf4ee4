const MAX_SUPPLY = 2n ** 64n - 1n;

/**
 * Tells why an account cannot have so many lamports beside those of all other accounts, and how many it can have; undefined: it can. Nodes count
 * the lamports of all accounts in 64 bits.
 */
export function supplyProblem(
  address: string,
  { lamports, others }: { readonly lamports: bigint; readonly others: bigint },
): string | undefined {
  const room = MAX_SUPPLY - others;
  if (lamports <= room) return undefined;
  return `${address} cannot have ${lamports} lamports: beside the other accounts the most is ${room < 0n ? 0n : room}`;
}
