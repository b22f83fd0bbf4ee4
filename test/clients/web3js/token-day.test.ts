import {
  AuthorityType,
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createBurnCheckedInstruction,
  createCloseAccountInstruction,
  createFreezeAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createSetAuthorityInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMinimumBalanceForRentExemptMint,
  getMint,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { connection, fundedKeypair, land } from './client.ts';

const SUPPLY = 1_000_000n;

test('the day of a token: made, distributed, delegated, frozen, burnt, closed, and its supply fixed', async () => {
  const [owner, ...holders] = await Promise.all(Array.from({ length: 4 }, () => fundedKeypair()));
  const [one, two, three] = holders;
  if (owner === undefined || one === undefined || two === undefined || three === undefined)
    throw new Error('an owner and three holders');
  const mintKey = Keypair.generate();
  const [payer, mint] = [owner.publicKey, mintKey.publicKey];
  const accountOf = (holder: Keypair): PublicKey => getAssociatedTokenAddressSync(mint, holder.publicKey);
  const treasury = accountOf(owner);
  await land(
    owner,
    [
      SystemProgram.createAccount({
        fromPubkey: payer,
        newAccountPubkey: mint,
        space: MINT_SIZE,
        programId: TOKEN_PROGRAM_ID,
        lamports: await getMinimumBalanceForRentExemptMint(connection),
      }),
      createInitializeMint2Instruction(mint, 6, payer, payer),
      createAssociatedTokenAccountInstruction(payer, treasury, payer, mint),
      createMintToInstruction(mint, treasury, payer, SUPPLY),
    ],
    [mintKey],
  );
  const moved = (from: PublicKey, to: PublicKey, by: Keypair, amount: bigint) =>
    createTransferCheckedInstruction(from, mint, to, by.publicKey, amount, 6);
  for (const holder of holders)
    await land(owner, [
      createAssociatedTokenAccountInstruction(payer, accountOf(holder), holder.publicKey, mint),
      moved(treasury, accountOf(holder), owner, 100_000n),
    ]);
  // An owner lets another spend, no more than agreed.
  await land(one, [createApproveInstruction(accountOf(one), two.publicKey, one.publicKey, 30_000n)]);
  await land(two, [moved(accountOf(one), accountOf(two), two, 30_000n)]);
  await expect(land(two, [moved(accountOf(one), accountOf(two), two, 1n)])).rejects.toThrow(/0x4/);
  // A frozen account neither pays nor is paid.
  await land(owner, [createFreezeAccountInstruction(accountOf(three), mint, payer)]);
  await expect(land(owner, [moved(treasury, accountOf(three), owner, 1n)])).rejects.toThrow(/0x11/);
  await land(owner, [createThawAccountInstruction(accountOf(three), mint, payer)]);
  await land(three, [
    createBurnCheckedInstruction(accountOf(three), mint, three.publicKey, 100_000n, 6),
    createCloseAccountInstruction(accountOf(three), payer, three.publicKey),
  ]);
  await expect(getAccount(connection, accountOf(three))).rejects.toThrow();
  await land(owner, [createSetAuthorityInstruction(mint, payer, AuthorityType.MintTokens, null)]);
  await expect(land(owner, [createMintToInstruction(mint, treasury, payer, 1n)])).rejects.toThrow(/0x5/);
  const held = await Promise.all([owner, one, two].map((each) => getAccount(connection, accountOf(each))));
  expect(held.map(({ amount }) => amount)).toEqual([700_000n, 70_000n, 130_000n]);
  expect(await getMint(connection, mint)).toMatchObject({
    supply: 900_000n,
    mintAuthority: null,
    freezeAuthority: payer,
  });
  // Opened with the first transfer, and paid by a delegate: what was refused did not land.
  expect(await connection.getSignaturesForAddress(accountOf(two))).toHaveLength(2);
});
