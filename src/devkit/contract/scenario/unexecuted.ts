import {
  createCreateNativeMintInstruction,
  createInitializeNonTransferableMintInstruction,
  createRecoverNestedInstruction,
  NATIVE_MINT_2022,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import {
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  Authorized,
  Lockup,
  StakeProgram,
  VOTE_PROGRAM_ID,
  VoteInit,
  VoteProgram,
} from '@solana/web3.js';
import { confirmAll } from '../confirmation.ts';
import { latestBlockhash } from './latest-blockhash.ts';
import { send, signLegacy, type WalletSession, land } from './wallet-session.ts';
import { newAccount } from './new-account.ts';

const U64_SIZE = 8;

/** A transaction that fails at its first instruction, to show how instructions for rare circumstances are parsed. */
export async function makeUnexecuted(session: WalletSession) {
  const { target, wallet } = session;
  const [owner, other] = [wallet.publicKey, Keypair.generate().publicKey];
  const instructions = [
    raw(SystemProgram.programId, [12, 0, 0, 0], [other]),
    raw(
      SystemProgram.programId,
      [13, 0, 0, 0, ...Buffer.alloc(2 * U64_SIZE), ...owner.toBytes()],
      [owner, other],
    ),
    raw(
      SystemProgram.programId,
      [13, 0, 0, 0, 1, ...Buffer.alloc(2 * U64_SIZE - 1), ...owner.toBytes()],
      [owner, other],
    ),
    raw(TOKEN_PROGRAM_ID, [45, 0], [other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [45, 1, ...Buffer.alloc(U64_SIZE, 1)], [other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [45, 0], [other, other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [45, 1, ...Buffer.alloc(U64_SIZE, 1)], [other, other, other, owner]),
    raw(TOKEN_PROGRAM_ID, [255, 1, 1, 17], [other]),
    createCreateNativeMintInstruction(owner, NATIVE_MINT_2022, TOKEN_2022_PROGRAM_ID),
    createInitializeNonTransferableMintInstruction(other, TOKEN_2022_PROGRAM_ID),
    createRecoverNestedInstruction(other, other, other, other, other, owner, TOKEN_PROGRAM_ID),
    raw(BPF_LOADER_2, [0, 0, 0, 0, ...Buffer.alloc(4), ...Buffer.from([1, 0, 0, 0, 0, 0, 0, 0, 7])], [other]),
  ];
  const transaction = signLegacy(session, await latestBlockhash(target), instructions);
  const unexecutedSignature = await send(session, transaction, { skipPreflight: true });
  const [landed] = await confirmAll(target, [unexecutedSignature]);
  if (landed?.err === null) throw new Error('a transaction that must fail succeeded');
  return { unexecutedSignature };
}

function raw(
  programId: PublicKey,
  data: readonly number[],
  accounts: readonly PublicKey[],
): TransactionInstruction {
  const keys = accounts.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true }));
  return new TransactionInstruction({ programId, keys, data: Buffer.from(data) });
}

const BPF_LOADER_2 = new PublicKey('BPFLoader2111111111111111111111111111111111');
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
