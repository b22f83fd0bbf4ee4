import {
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import { land, rentFor, type WalletSession } from './wallet-session.ts';

const DECIMALS = 6;

/** A mint of a token program and the wallet's associated account for it, in one transaction. */
async function makeMint(session: WalletSession, program: PublicKey) {
  const { target, wallet } = session;
  const mint = Keypair.generate();
  const owner = wallet.publicKey;
  const account = getAssociatedTokenAddressSync(mint.publicKey, owner, false, program);
  const createMintAccount = SystemProgram.createAccount({
    fromPubkey: owner,
    newAccountPubkey: mint.publicKey,
    lamports: await rentFor(target, MINT_SIZE),
    space: MINT_SIZE,
    programId: program,
  });
  const initialize = createInitializeMint2Instruction(mint.publicKey, DECIMALS, owner, owner, program);
  const createAccount = createAssociatedTokenAccountInstruction(
    owner,
    account,
    owner,
    mint.publicKey,
    program,
  );
  const signature = await land(session, [createMintAccount, initialize, createAccount], [mint]);
  return { mint: mint.publicKey, account, signature };
}

/** An SPL token mint, the wallet's account with tokens in it, and a delegate approved for some of them. */
export async function makeTokens(session: WalletSession) {
  const owner = session.wallet.publicKey;
  const delegate = Keypair.generate().publicKey;
  const { mint, account, signature } = await makeMint(session, TOKEN_PROGRAM_ID);
  const mintTo = createMintToInstruction(mint, account, owner, 5_000_000n);
  const approve = createApproveInstruction(account, delegate, owner, 2_000_000n);
  const tokenSignature = await land(session, [mintTo, approve]);
  return {
    mint: mint.toBase58(),
    tokenAccount: account.toBase58(),
    delegate: delegate.toBase58(),
    tokenSignature,
    mintSignature: signature,
    tokenProgram: TOKEN_PROGRAM_ID.toBase58(),
  };
}

/** A Token-2022 mint and the wallet's account for it, which carries the immutable owner extension. */
export async function makeToken2022(session: WalletSession) {
  const { mint, account } = await makeMint(session, TOKEN_2022_PROGRAM_ID);
  const mintTo = createMintToInstruction(
    mint,
    account,
    session.wallet.publicKey,
    7_000_000n,
    [],
    TOKEN_2022_PROGRAM_ID,
  );
  await land(session, [mintTo]);
  return {
    mint2022: mint.toBase58(),
    token2022Account: account.toBase58(),
    token2022Program: TOKEN_2022_PROGRAM_ID.toBase58(),
  };
}
