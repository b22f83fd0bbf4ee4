import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import type { Ledger } from '../ledger.ts';
import { resetAccounts } from './localnet_resetAccount.ts';
import { surfnetContext } from './surfnet-answer.ts';

export const surfnetResetAccount: LedgerHandler<Ledger, 'surfnet_resetAccount'> = async (
  ledger,
  address,
  config,
) => {
  const { accounts, blocks } = ledger;
  const owned =
    config?.includeOwnedAccounts === true
      ? accounts.ownedBy(address, blocks.openSlot).map((entry) => entry.address)
      : [];
  await resetAccounts(ledger, [...new Set([...owned, address])]);
  return surfnetContext(ledger);
};
