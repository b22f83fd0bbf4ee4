import type { Ledger } from '../ledger.ts';
import type { KeyedAccount } from '../model.ts';
import { programDataAddress } from '../transaction/loaded-size.ts';
import { readOpen } from './write-accounts.ts';

/** Finds the account with the code of a program of the upgradeable loader. */
export function findCode(ledger: Ledger, program: string): KeyedAccount | undefined {
  const address = programDataAddress(readOpen(ledger, program));
  const account = address === undefined ? undefined : readOpen(ledger, address);
  return address === undefined || account === undefined ? undefined : { address, account };
}
