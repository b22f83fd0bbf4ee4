import { readTokenAccount } from '../encode/token-layout.ts';
import type { Account } from '../model.ts';
import { isTokenProgram } from '../addresses/is-token-program.ts';
import { AddressSets } from './address-sets.ts';

/** Secondary indexes over the current accounts: by owning program; token accounts by mint, owner and delegate. */
export class AccountIndex {
  readonly owners = new AddressSets();
  readonly mints = new AddressSets();
  readonly tokenOwners = new AddressSets();
  readonly delegates = new AddressSets();

  replace(address: string, before: Account | undefined, after: Account | undefined): void {
    this.owners.move(address, before?.owner, after?.owner);
    const [old, now] = [tokenAccount(before), tokenAccount(after)];
    this.mints.move(address, old?.mint, now?.mint);
    this.tokenOwners.move(address, old?.owner, now?.owner);
    this.delegates.move(address, old?.delegate ?? undefined, now?.delegate ?? undefined);
  }
}

function tokenAccount(account: Account | undefined): ReturnType<typeof readTokenAccount> {
  return account !== undefined && isTokenProgram(account.owner) ? readTokenAccount(account.data) : undefined;
}
