import { type Address, generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  AuthorityType,
  getApproveInstruction,
  getBurnCheckedInstruction,
  getCloseAccountInstruction,
  getFreezeAccountInstruction,
  getInitializeMint2Instruction,
  getMintSize,
  getMintToInstruction,
  getSetAuthorityInstruction,
  getThawAccountInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { expect, test } from 'vitest';
import { fundedSigner, land, rpc, send, signed } from './client.ts';
import { DECIMALS, openTokenAccount, tokenAccountOf } from './mint.ts';

const SUPPLY = 1_000_000n;

type Holder = { readonly signer: KeyPairSigner; readonly account: Address };

async function amountOf(account: Address): Promise<bigint> {
  return BigInt((await rpc.getTokenAccountBalance(account).send()).value.amount);
}

test('the day of a token: made, distributed, delegated, frozen, burnt, closed, and its supply fixed', async () => {
  const payer = await fundedSigner();
  const mint = await generateKeyPairSigner();
  const space = BigInt(getMintSize());
  const rent = await rpc.getMinimumBalanceForRentExemption(space).send();
  const authority = { mintAuthority: payer.address, freezeAuthority: payer.address };
  const treasury = await tokenAccountOf(payer.address, mint.address);
  await land(payer, [
    getCreateAccountInstruction({
      payer,
      newAccount: mint,
      lamports: rent,
      space,
      programAddress: TOKEN_PROGRAM_ADDRESS,
    }),
    getInitializeMint2Instruction({ mint: mint.address, decimals: DECIMALS, ...authority }),
    await openTokenAccount(payer, payer.address, mint.address),
    getMintToInstruction({ mint: mint.address, token: treasury, mintAuthority: payer, amount: SUPPLY }),
  ]);
  const holders: readonly Holder[] = await Promise.all(
    Array.from({ length: 3 }, async () => {
      const signer = await fundedSigner();
      return { signer, account: await tokenAccountOf(signer.address, mint.address) };
    }),
  );
  const [one, two, three] = holders;
  if (one === undefined || two === undefined || three === undefined) throw new Error('three holders');
  const moved = (source: Address, destination: Address, by: KeyPairSigner, amount: bigint) =>
    getTransferCheckedInstruction({
      source,
      mint: mint.address,
      destination,
      authority: by,
      amount,
      decimals: DECIMALS,
    });
  for (const { signer, account } of holders)
    await land(payer, [
      await openTokenAccount(payer, signer.address, mint.address),
      moved(treasury, account, payer, 100_000n),
    ]);
  // An owner lets another spend, no more than agreed.
  await land(one.signer, [
    getApproveInstruction({
      source: one.account,
      delegate: two.signer.address,
      owner: one.signer,
      amount: 30_000n,
    }),
  ]);
  await land(two.signer, [moved(one.account, two.account, two.signer, 30_000n)]);
  await expect(land(two.signer, [moved(one.account, two.account, two.signer, 1n)])).rejects.toThrow();
  // A frozen account neither pays nor is paid.
  const frozen = { account: three.account, mint: mint.address, owner: payer };
  await land(payer, [getFreezeAccountInstruction(frozen)]);
  await expect(send(await signed(payer, [moved(treasury, three.account, payer, 1n)]))).rejects.toThrow();
  await land(payer, [getThawAccountInstruction(frozen)]);
  const burnt = { account: three.account, mint: mint.address, authority: three.signer };
  await land(three.signer, [
    getBurnCheckedInstruction({ ...burnt, amount: 100_000n, decimals: DECIMALS }),
    getCloseAccountInstruction({ account: three.account, destination: payer.address, owner: three.signer }),
  ]);
  expect((await rpc.getAccountInfo(three.account).send()).value).toBeNull();
  const fixed = {
    owned: mint.address,
    owner: payer,
    authorityType: AuthorityType.MintTokens,
    newAuthority: null,
  };
  await land(payer, [getSetAuthorityInstruction(fixed)]);
  const more = { mint: mint.address, token: treasury, mintAuthority: payer, amount: 1n };
  await expect(send(await signed(payer, [getMintToInstruction(more)]))).rejects.toThrow();
  expect(await Promise.all([treasury, one.account, two.account].map(amountOf))).toEqual([
    700_000n,
    70_000n,
    130_000n,
  ]);
  expect((await rpc.getTokenSupply(mint.address).send()).value.amount).toBe('900000');
  const { value: largest } = await rpc.getTokenLargestAccounts(mint.address).send();
  expect(largest.map(({ address }) => address)).toEqual([treasury, two.account, one.account]);
  // Opened with the first transfer, paid by a delegate, and refused while frozen: what landed is what is listed.
  expect(await rpc.getSignaturesForAddress(two.account).send()).toHaveLength(2);
});
