import { TOKEN_PROGRAM_ID } from '@solana/spl-token';
import {
  Authorized,
  Lockup,
  PublicKey,
  StakeProgram,
  TransactionInstruction,
  VOTE_PROGRAM_ID,
  VoteInit,
  VoteProgram,
} from '@solana/web3.js';
import { newAccount } from './new-account.ts';
import { land, type WalletSession } from './wallet-session.ts';

export const BPF_LOADER_2 = new PublicKey('BPFLoader2111111111111111111111111111111111');
const UPGRADEABLE_LOADER = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111');
const BUFFER_HEADER_SIZE = 37;

/** Accounts of the loader, stake and vote programs in the states that a deployment or a validator puts them in. */
export async function makeProgramAccounts(session: WalletSession) {
  const [buffer, stake, vote] = await Promise.all([
    makeBuffer(session),
    makeStake(session),
    makeVote(session),
  ]);
  const [tokenProgramData] = PublicKey.findProgramAddressSync(
    [TOKEN_PROGRAM_ID.toBytes()],
    UPGRADEABLE_LOADER,
  );
  return { ...buffer, ...stake, ...vote, tokenProgramData: tokenProgramData.toBase58() };
}

async function makeBuffer(session: WalletSession) {
  const buffer = await newAccount(session, BUFFER_HEADER_SIZE + 8, UPGRADEABLE_LOADER);
  const blank = await newAccount(session, BUFFER_HEADER_SIZE, UPGRADEABLE_LOADER);
  const keys = [
    { pubkey: buffer.key, isSigner: false, isWritable: true },
    { pubkey: session.wallet.publicKey, isSigner: false, isWritable: false },
  ];
  const initialize = new TransactionInstruction({
    programId: UPGRADEABLE_LOADER,
    keys,
    data: Buffer.alloc(4),
  });
  const bufferSignature = await land(
    session,
    [buffer.create, initialize, blank.create],
    [buffer.keypair, blank.keypair],
  );
  return { bufferSignature, programBuffer: buffer.key.toBase58(), blankBuffer: blank.key.toBase58() };
}

async function makeStake(session: WalletSession) {
  const owner = session.wallet.publicKey;
  const stake = await newAccount(session, StakeProgram.space, StakeProgram.programId);
  const blank = await newAccount(session, StakeProgram.space, StakeProgram.programId);
  const initialize = StakeProgram.initialize({
    stakePubkey: stake.key,
    authorized: new Authorized(owner, owner),
    lockup: Lockup.default,
  });
  const stakeSignature = await land(
    session,
    [stake.create, initialize, blank.create],
    [stake.keypair, blank.keypair],
  );
  return { stakeSignature, stakeAccount: stake.key.toBase58(), blankStakeAccount: blank.key.toBase58() };
}

async function makeVote(session: WalletSession) {
  const owner = session.wallet.publicKey;
  const vote = await newAccount(session, VoteProgram.space, VOTE_PROGRAM_ID);
  const initialize = VoteProgram.initializeAccount({
    votePubkey: vote.key,
    nodePubkey: owner,
    voteInit: new VoteInit(owner, owner, owner, 5),
  });
  const voteSignature = await land(session, [vote.create, initialize], [vote.keypair]);
  return { voteSignature, idleVoteAccount: vote.key.toBase58() };
}
