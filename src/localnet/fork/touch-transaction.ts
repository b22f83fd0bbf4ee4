import type { Ledger } from '../ledger.ts';
import { addressesFrom } from '../transaction/lookup-tables.ts';
import type { DecodedTransaction } from '../../wire/message.ts';

/** Touches all that a transaction can reach, that of its lookup tables included; a ledger that is no fork has it. @throws ServiceError forkFailed. */
export async function touchTransaction(ledger: Ledger, { message }: DecodedTransaction): Promise<void> {
  const { fork, accounts } = ledger;
  if (fork === undefined) return;
  const { staticKeys, lookups } = message;
  await fork.touch(ledger, [...staticKeys, ...lookups.map(({ accountKey }) => accountKey)]);
  const loaded = lookups.flatMap((lookup) => addressesFrom(lookup, accounts.current(lookup.accountKey)));
  await fork.touch(ledger, loaded);
}
