const MAX_SUPPLY = 2n ** 64n - 1n;

/**
 * Returns why an account cannot have this many lamports next to those of all other accounts, and the maximum; undefined: it can. Nodes
 * count the lamports of all accounts in 64 bits.
 */
export function supplyProblem(
  address: string,
  { lamports, others }: { readonly lamports: bigint; readonly others: bigint },
): string | undefined {
  const room = MAX_SUPPLY - others;
  if (lamports <= room) return undefined;
  return `${address} cannot have ${lamports} lamports: with the other accounts' lamports the maximum is ${room < 0n ? 0n : room}`;
}
