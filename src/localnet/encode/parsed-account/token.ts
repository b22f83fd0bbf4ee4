import type { Account } from '../../model.ts';
import { mintAmount } from '../mint-amount.ts';
import {
  type MintState,
  type MultisigState,
  readMint,
  readMultisig,
  readTokenAccount,
  type TokenAccountState,
} from '../token-layout.ts';
import type { ParsedState } from './parsed-state.ts';
import { parseExtension } from './token-extension.ts';

/** Inputs for the amounts of a token account: its mint, and the time for mints that bear interest or are scaled. */
export type MintTerms = {
  readonly mintOf: (mint: string) => Account | undefined;
  /** Unix time in seconds. */
  readonly nowSeconds: bigint;
};

/** A token account, mint or multisignature authority; a token account whose mint is missing is not parsed. */
export function parseToken(data: Uint8Array, terms: MintTerms): ParsedState | undefined {
  const account = readTokenAccount(data);
  if (account !== undefined) return parseTokenAccount(account, terms);
  const mint = readMint(data);
  if (mint !== undefined) return { type: 'mint', info: mintInfo(mint) };
  const multisig = readMultisig(data);
  return multisig && { type: 'multisig', info: multisigInfo(multisig) };
}

function parseTokenAccount(account: TokenAccountState, terms: MintTerms): ParsedState | undefined {
  const mintData = terms.mintOf(account.mint)?.data;
  const mint = mintData && readMint(mintData);
  if (mint === undefined) return undefined;
  const amount = (units: bigint) => mintAmount(units, mint, terms.nowSeconds);
  const { delegate, closeAuthority, nativeReserve } = account;
  const info = {
    mint: account.mint,
    owner: account.owner,
    tokenAmount: amount(account.amount),
    ...(delegate !== null && { delegate, delegatedAmount: amount(account.delegatedAmount) }),
    state: account.state,
    isNative: nativeReserve !== null,
    ...(nativeReserve !== null && { rentExemptReserve: amount(nativeReserve) }),
    ...(closeAuthority !== null && { closeAuthority }),
    ...extensionsOf(account),
  };
  return { type: 'account', info };
}

function mintInfo(mint: MintState) {
  return {
    mintAuthority: mint.mintAuthority,
    supply: mint.supply.toString(),
    decimals: mint.decimals,
    isInitialized: true,
    freezeAuthority: mint.freezeAuthority,
    ...extensionsOf(mint),
  };
}

function multisigInfo(multisig: MultisigState) {
  return {
    numRequiredSigners: multisig.requiredSigners,
    numValidSigners: multisig.validSigners,
    isInitialized: true,
    signers: multisig.signers,
  };
}

function extensionsOf({ extensions }: TokenAccountState | MintState) {
  return extensions.length > 0 ? { extensions: extensions.map(parseExtension) } : {};
}
