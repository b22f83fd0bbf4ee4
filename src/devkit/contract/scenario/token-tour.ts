import {
  ACCOUNT_SIZE,
  AuthorityType,
  createAmountToUiAmountInstruction,
  createApproveCheckedInstruction,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createBurnCheckedInstruction,
  createBurnInstruction,
  createCloseAccountInstruction,
  createFreezeAccountInstruction,
  createInitializeAccount2Instruction,
  createInitializeAccount3Instruction,
  createInitializeAccountInstruction,
  createInitializeMintInstruction,
  createInitializeMultisigInstruction,
  createMintToCheckedInstruction,
  createMintToInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createThawAccountInstruction,
  createTransferCheckedInstruction,
  createTransferInstruction,
  createUiAmountToAmountInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  MULTISIG_SIZE,
  NATIVE_MINT,
  TOKEN_PROGRAM_ID as TOKEN,
} from '@solana/spl-token';
import { Keypair, type PublicKey, TransactionInstruction } from '@solana/web3.js';
import { newAccount } from './new-account.ts';
import { land, type WalletSession } from './wallet-session.ts';

/** Every instruction of the token program, once under the wallet and once under a multisig account. */
export async function tourTokens(session: WalletSession) {
  const { wallet } = session;
  const multisig = await newAccount(session, MULTISIG_SIZE, TOKEN);
  const second = await newAccount(session, MULTISIG_SIZE, TOKEN);
  const multisigSignature = await land(
    session,
    [
      multisig.create,
      createInitializeMultisigInstruction(multisig.key, [wallet.publicKey], 1),
      second.create,
      initializeMultisig2(second.key, wallet.publicKey),
    ],
    [multisig.keypair, second.keypair],
  );
  const [alone, shared, native] = await Promise.all([
    tourUnder(session, wallet.publicKey, []),
    tourUnder(session, multisig.key, [wallet]),
    tourNative(session),
  ]);
  return {
    multisig: multisig.key.toBase58(),
    multisigSignature,
    tokenSetupSignature: alone.setup,
    tokenTourSignature: alone.tour,
    multisigTourSignature: shared.tour,
    ...native,
  };
}

/** The instructions that an authority signs, under one authority. */
async function tourUnder(session: WalletSession, authority: PublicKey, signers: Keypair[]) {
  const payer = session.wallet.publicKey;
  const mint = await newAccount(session, MINT_SIZE, TOKEN);
  const [from, to, empty] = await Promise.all([1, 2, 3].map(() => newAccount(session, ACCOUNT_SIZE, TOKEN)));
  if (!(from && to && empty)) throw new Error('three accounts were made');
  const setup = await land(
    session,
    [
      mint.create,
      createInitializeMintInstruction(mint.key, 6, authority, authority),
      from.create,
      createInitializeAccountInstruction(from.key, mint.key, authority),
      to.create,
      createInitializeAccount2Instruction(to.key, mint.key, payer),
      empty.create,
      createInitializeAccount3Instruction(empty.key, mint.key, authority),
    ],
    [mint.keypair, from.keypair, to.keypair, empty.keypair],
  );
  const delegate = Keypair.generate().publicKey;
  const tour = await land(session, [
    createMintToInstruction(mint.key, from.key, authority, 500n, signers),
    createMintToCheckedInstruction(mint.key, from.key, authority, 500n, 6, signers),
    createTransferInstruction(from.key, to.key, authority, 10n, signers),
    createTransferCheckedInstruction(from.key, mint.key, to.key, authority, 10n, 6, signers),
    createApproveInstruction(from.key, delegate, authority, 10n, signers),
    createApproveCheckedInstruction(from.key, mint.key, delegate, authority, 10n, 6, signers),
    createRevokeInstruction(from.key, authority, signers),
    createBurnInstruction(from.key, mint.key, authority, 10n, signers),
    createBurnCheckedInstruction(from.key, mint.key, authority, 10n, 6, signers),
    createFreezeAccountInstruction(from.key, mint.key, authority, signers),
    createThawAccountInstruction(from.key, mint.key, authority, signers),
    createSetAuthorityInstruction(from.key, authority, AuthorityType.CloseAccount, delegate, signers),
    createSetAuthorityInstruction(mint.key, authority, AuthorityType.FreezeAccount, null, signers),
    withdrawExcessLamports(from.key, payer, authority, signers),
    createCloseAccountInstruction(empty.key, payer, authority, signers),
    createUiAmountToAmountInstruction(mint.key, '1.5'),
    createAmountToUiAmountInstruction(mint.key, 1_500_000n),
  ]);
  return { setup, tour };
}

/** A wrapped SOL account, synced, with a close authority that is not its owner. */
async function tourNative(session: WalletSession) {
  const owner = session.wallet.publicKey;
  const account = await newAccount(session, ACCOUNT_SIZE, TOKEN, 5_000_000);
  const ata = getAssociatedTokenAddressSync(NATIVE_MINT, owner);
  const closer = Keypair.generate().publicKey;
  const nativeSignature = await land(
    session,
    [
      account.create,
      createInitializeAccount3Instruction(account.key, NATIVE_MINT, owner),
      createSyncNativeInstruction(account.key),
      createAssociatedTokenAccountIdempotentInstruction(owner, ata, owner, NATIVE_MINT),
      createSetAuthorityInstruction(account.key, owner, AuthorityType.CloseAccount, closer),
    ],
    [account.keypair],
  );
  return { nativeSignature, nativeAccount: account.key.toBase58() };
}

/** Instruction 19 of the token program; @solana/spl-token has no function for it. */
function initializeMultisig2(multisig: PublicKey, signer: PublicKey): TransactionInstruction {
  const keys = [
    { pubkey: multisig, isSigner: false, isWritable: true },
    { pubkey: signer, isSigner: false, isWritable: false },
  ];
  return new TransactionInstruction({ programId: TOKEN, keys, data: Buffer.from([19, 1]) });
}

/** Instruction 38 of the token program; @solana/spl-token has no function for it. */
function withdrawExcessLamports(
  source: PublicKey,
  destination: PublicKey,
  authority: PublicKey,
  signers: readonly Keypair[],
): TransactionInstruction {
  const keys = [
    { pubkey: source, isSigner: false, isWritable: true },
    { pubkey: destination, isSigner: false, isWritable: true },
    { pubkey: authority, isSigner: signers.length === 0, isWritable: false },
    ...signers.map(({ publicKey }) => ({ pubkey: publicKey, isSigner: true, isWritable: false })),
  ];
  return new TransactionInstruction({ programId: TOKEN, keys, data: Buffer.from([38]) });
}
