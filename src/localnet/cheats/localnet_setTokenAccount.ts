import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../base/service-error.ts';
import { readMint, readTokenAccount } from '../encode/token-layout.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { associatedTokenAddress, openTokenAccount } from './associated-token.ts';
import { mintAccount } from './localnet_setMint.ts';
import { setMintFields, setTokenFields, type TokenFields } from './token-fields.ts';
import { readOpen, writeAccounts } from './write-accounts.ts';

const U64_MAX = 2n ** 64n - 1n;

export const localnetSetTokenAccount: LedgerHandler<Ledger, 'localnet_setTokenAccount'> = async (
  ledger,
  owner,
  mint,
  changes,
) => await setTokenAccount(ledger, { owner, mint }, changes);

/**
 * Sets the associated token account of an owner, and the supply of its mint with it. Returns its address.
 *
 * @throws ServiceError forkFailed; invalidParam: there is no such mint, the program refuses the account, or its lamports or the supply leave the range of 64 bits.
 */
export async function setTokenAccount(
  ledger: Ledger,
  { owner, mint }: { readonly owner: string; readonly mint: string },
  fields: TokenFields,
): Promise<string> {
  await ledger.fork?.touch(ledger, [owner, mint]);
  const program = mintAccount(ledger, mint).owner;
  const address = await associatedTokenAddress({ owner, mint, program });
  await ledger.fork?.touch(ledger, [address]);
  const mintNow = mintAccount(ledger, mint);
  const present = readOpen(ledger, address);
  const isPresent = present !== undefined && readTokenAccount(present.data)?.mint === mint;
  const before = isPresent ? present : openTokenAccount(ledger, { address, owner, mint, program });
  const account = withReserve(setTokenFields(before, fields));
  const change = amountOf(account) - (isPresent ? amountOf(before) : 0n);
  const changes = [{ address, account }, ...supplyChange(mint, mintNow, account, change)];
  writeAccounts(ledger, changes, `the runtime refuses the token account ${address}`);
  return address;
}

/** Lamports that are wrapped belong to no supply. */
function supplyChange(mint: string, mintNow: Account, account: Account, change: bigint) {
  const isNative = (readTokenAccount(account.data)?.nativeReserve ?? null) !== null;
  if (isNative || change === 0n) return [];
  const supply = (readMint(mintNow.data)?.supply ?? 0n) + change;
  if (supply < 0n || supply > U64_MAX)
    throw serviceError('invalidParam', {
      reason: `the supply of ${mint} would be ${supply}; it is from 0 to ${U64_MAX}`,
    });
  return [{ address: mint, account: setMintFields(mintNow, { supply }) }];
}

/** An account that wraps lamports has as many as its amount, and those for rent. */
function withReserve(account: Account): Account {
  const reserve = readTokenAccount(account.data)?.nativeReserve ?? null;
  if (reserve === null) return account;
  const lamports = reserve + amountOf(account);
  if (lamports > U64_MAX)
    throw serviceError('invalidParam', {
      reason: `an account that wraps ${amountOf(account)} lamports has ${reserve} more for rent, ${lamports} in all; the most is ${U64_MAX}`,
    });
  return { ...account, lamports };
}

function amountOf({ data }: Account): bigint {
  return readTokenAccount(data)?.amount ?? 0n;
}
