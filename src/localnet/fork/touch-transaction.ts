import type { Ledger } from '../ledger.ts';
import { addressesFrom } from '../transaction/lookup-tables.ts';
import type { DecodedTransaction } from '../../core/wire/message.ts';

/**
 * Touches everything that a transaction can reach, its lookup tables included; no effect on a ledger that is not a fork. @throws
 * ServiceError forkFailed.
 */
export async function touchTransaction(ledger: Ledger, { message }: DecodedTransaction): Promise<void> {
  const { fork, accounts } = ledger;
  if (fork === undefined) return;
  const { staticKeys, lookups } = message;
  await fork.touch(ledger, [...staticKeys, ...lookups.map(({ accountKey }) => accountKey)]);
  const loaded = lookups.flatMap((lookup) => addressesFrom(lookup, accounts.current(lookup.accountKey)));
  await fork.touch(ledger, loaded);
}
