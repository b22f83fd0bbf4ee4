import type { ParsedAccountKey, ParsedTransactionMeta } from '../../../../../generated/ledger/types.ts';

/** How the balance of an account changed. */
export type BalanceChange = {
  readonly address: string;
  /** What the transaction may do with it: "signer, writable". */
  readonly roles: string;
  readonly before: bigint;
  readonly after: bigint;
  readonly change: bigint;
};

/** Returns every account of a transaction with its balance before and after, in the order of the message. */
export function balanceChanges(
  keys: readonly ParsedAccountKey[],
  { preBalances, postBalances }: Pick<ParsedTransactionMeta, 'preBalances' | 'postBalances'>,
): readonly BalanceChange[] {
  return keys.map(({ pubkey, signer, writable, source }, index) => {
    const [before = 0n, after = 0n] = [preBalances[index], postBalances[index]];
    const roles = [
      signer ? 'signer' : undefined,
      writable ? 'writable' : 'read-only',
      source === 'lookupTable' ? 'from a lookup table' : undefined,
    ];
    return {
      ...{ address: pubkey, before, after, change: after - before },
      roles: roles.filter((role) => role !== undefined).join(', '),
    };
  });
}
