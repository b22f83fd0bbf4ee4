import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../base/service-error.ts';
import { findMint } from '../accounts/token-view.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { setMintFields } from './token-fields.ts';
import { readOpen, writeAccounts } from './write-accounts.ts';

export const localnetSetMint: LedgerHandler<Ledger, 'localnet_setMint'> = async (ledger, mint, changes) => {
  await ledger.fork?.touch(ledger, [mint]);
  const account = setMintFields(mintAccount(ledger, mint), changes);
  writeAccounts(ledger, [{ address: mint, account }], `the runtime refuses the mint ${mint}`);
  return null;
};

/** Returns the account of a mint. @throws ServiceError invalidParam if there is none. */
export function mintAccount(ledger: Ledger, address: string): Account {
  findMint(ledger, address, ledger.blocks.openSlot);
  const account = readOpen(ledger, address);
  if (account === undefined) throw serviceError('invalidParam', { reason: 'could not find mint' });
  return account;
}
