import type { AccountStore } from '../accounts/account-store.ts';
import type { Bank } from './bank.ts';

const INCINERATOR = '1nc1nerator11111111111111111111111111111111';

type Burnt = { readonly accounts: AccountStore; readonly bank: Bank; readonly openSlot: bigint };

/** Burns what was sent to the incinerator in the open slot, which is about to close. */
export function burnIncinerated({ accounts, bank, openSlot }: Burnt): void {
  if (accounts.read(INCINERATOR, openSlot) !== undefined) bank.write(INCINERATOR, undefined, openSlot);
}
