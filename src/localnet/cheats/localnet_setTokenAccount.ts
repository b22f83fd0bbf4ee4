import { base58 } from '@scure/base';
import type { LedgerHandler } from '../../../generated/localnet/handlers.ts';
import { serviceError } from '../../core/service-error.ts';
import { readMint, readTokenAccount } from '../encode/token-layout.ts';
import type { Ledger } from '../ledger.ts';
import type { Account } from '../model.ts';
import { mintAccount, setMintFields, setTokenFields, type TokenFields } from './localnet_setMint.ts';
import { readOpen, writeAccounts } from './write-accounts.ts';
import { programAddress } from '../addresses/program-address.ts';
import { ASSOCIATED_TOKEN_PROGRAM, SYSTEM_PROGRAM } from '../addresses/program-ids.ts';
import { errorText } from '../transaction/error-text.ts';

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
  const address = associatedTokenAddress({ owner, mint, program });
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

/** Wrapped lamports belong to no supply. */
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

/** An account that wraps lamports holds its amount, plus the lamports for rent. */
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

type Holding = { readonly owner: string; readonly mint: string; readonly program: string };

const CREATE_TAG = 0;
const SIGNATURE_BYTES = 64;

/** Returns the address of the token account that belongs to an owner and a mint. */
function associatedTokenAddress({ owner, mint, program }: Holding): string {
  return programAddress(
    ASSOCIATED_TOKEN_PROGRAM,
    [owner, program, mint].map((each) => base58.decode(each)),
  );
}

/**
 * Returns a new associated token account as the program makes it, with the extensions that its mint asks for. It runs outside of any block
 * and leaves no trace.
 *
 * @throws ServiceError invalidParam with the error of the program.
 */
function openTokenAccount(
  ledger: Ledger,
  { address, ...holding }: Holding & { readonly address: string },
): Account {
  const { bank, runtime, blocks, genesis } = ledger;
  const payer = genesis.faucet.address;
  const keys = uniqueKeys(payer, address, holding);
  if (runtime.isGone(ASSOCIATED_TOKEN_PROGRAM))
    throw serviceError('invalidParam', {
      reason: `the program for associated token accounts, ${ASSOCIATED_TOKEN_PROGRAM}, does not exist`,
    });
  const outcome = bank.execute(
    createWire(keys, payer, address, holding, blocks.blockhashBytes(blocks.openSlot - 1n)),
    keys,
    blocks.openSlot,
  );
  const account = runtime.read(address);
  for (const each of [payer, address]) runtime.write(each, readOpen(ledger, each));
  if (outcome.err !== null || account === undefined) {
    const reason = `the program for associated token accounts refuses ${address}: ${errorText(outcome.err ?? 'AccountNotFound')}`;
    throw serviceError('invalidParam', { reason });
  }
  return account;
}

/** The two writable keys, payer first; an owner who also pays is listed once. */
function uniqueKeys(payer: string, address: string, { owner, mint, program }: Holding): readonly string[] {
  return [...new Set([payer, address, owner, mint, SYSTEM_PROGRAM, program, ASSOCIATED_TOKEN_PROGRAM])];
}

function createWire(
  keys: readonly string[],
  payer: string,
  address: string,
  { owner, mint, program }: Holding,
  blockhash: Uint8Array,
): Uint8Array {
  const used = [payer, address, owner, mint, SYSTEM_PROGRAM, program].map((key) => keys.indexOf(key));
  const signature = new Uint8Array(SIGNATURE_BYTES).fill(1);
  return Buffer.concat([
    Uint8Array.of(1),
    signature,
    Uint8Array.of(1, 0, keys.length - 2, keys.length),
    ...keys.map((key) => base58.decode(key)),
    blockhash,
    Uint8Array.of(1, keys.indexOf(ASSOCIATED_TOKEN_PROGRAM), used.length, ...used, 1, CREATE_TAG),
  ]);
}
