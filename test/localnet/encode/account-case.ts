import { parseAccount, type MintTerms } from '../../../src/localnet/encode/parsed-account/parse-account.ts';
import type { Account } from '../../../src/localnet/model.ts';
import { assertValue } from './result-schema.ts';

/** An account with usual values around what a test is about. */
export function accountOf(parts: Partial<Account>): Account {
  return {
    lamports: 1_000_000n,
    data: new Uint8Array(),
    owner: '11111111111111111111111111111111',
    executable: false,
    rentEpoch: 2n ** 64n - 1n,
    ...parts,
  };
}

/** The context in which an account is read: no mint is known, the time is the epoch. */
export const NO_MINTS = {
  address: 'SysvarC1ock11111111111111111111111111111111',
  mintOf: () => undefined,
  nowSeconds: 0n,
};

/** Parses an account, and holds what comes out against the specification of getAccountInfo. */
export function parseChecked(address: string, account: Account, terms: MintTerms) {
  const data = parseAccount(address, account, terms);
  const { lamports, owner, executable, rentEpoch } = account;
  const space = BigInt(account.data.length);
  if (data !== undefined)
    assertValue('getAccountInfo', { lamports, data, owner, executable, rentEpoch, space });
  return data;
}
