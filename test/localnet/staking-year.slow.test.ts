import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  lamports,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getCreateAccountInstruction } from '@solana-program/system';
import {
  Authorized,
  Connection,
  Keypair,
  PublicKey,
  sendAndConfirmTransaction,
  StakeProgram,
  type Transaction,
} from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRpcServer } from '../../src/localnet/serve-ledger.ts';
import { newLedger, type TestLedger } from './new-ledger.ts';

const SLOTS_PER_EPOCH = 32;
/** Two days each on the main network. */
const EPOCHS_PER_YEAR = 182;
const SOL = 1_000_000_000n;
const FEE = 5_000;
/** More than two epochs' worth: 9 % of the cluster's stake change in one. */
const STAKED = 200_000n * SOL;
const STAKE_BYTES = 200n;
const STAKE_PROGRAM = address('Stake11111111111111111111111111111111111111');
const STAKE_HISTORY = address('SysvarStakeHistory1111111111111111111111111');
const CLOCK = address('SysvarC1ock11111111111111111111111111111111');
const RENT = address('SysvarRent111111111111111111111111111111111');
const STAKE_CONFIG = address('StakeConfig11111111111111111111111111111111');

let run: TestLedger;
let server: Awaited<ReturnType<typeof startRpcServer>>;
beforeAll(async () => {
  run = newLedger({ slotsPerEpoch: SLOTS_PER_EPOCH });
  server = await startRpcServer(run.ledger, { host: '127.0.0.1', port: 0 });
  // In the first slot of an epoch, with which it begins, stakes do not change.
  run.tick();
});
afterAll(() => server?.close(0));

/** Advances until `count` epochs have ended, and the rewards of the last one are confirmed. */
const passEpochs = (count: number): void => {
  const { epochs, blocks } = run.ledger;
  const target = epochs.firstSlot(epochs.epochOf(blocks.openSlot) + BigInt(count));
  while (blocks.openSlot <= target + 1n) run.tick();
};

test('with web3.js: delegated, paid for a year, deactivated, withdrawn', async () => {
  const url = `http://127.0.0.1:${server.port}`;
  const wsEndpoint = url.replace('http', 'ws');
  const connect = (): Connection => new Connection(url, { commitment: 'processed', wsEndpoint });
  let connection = connect();
  const [wallet, stake] = [Keypair.generate(), Keypair.generate()];
  const owner = wallet.publicKey;
  await connection.requestAirdrop(owner, Number(60_000n * SOL));
  const send = (transaction: Transaction, ...signers: readonly Keypair[]): Promise<string> =>
    sendAndConfirmTransaction(connection, transaction, [wallet, ...signers], { commitment: 'processed' });
  const validator = async () => (await connection.getVoteAccounts('processed')).current[0];
  const rent = await connection.getMinimumBalanceForRentExemption(StakeProgram.space);
  const validatorStake = new PublicKey(run.ledger.genesis.stakeAddress);
  const before = (await connection.getBalance(validatorStake)) - rent;
  const stakePubkey = stake.publicKey;
  const size = Number(50_000n * SOL);
  const authorized = new Authorized(owner, owner);
  await send(
    StakeProgram.createAccount({ fromPubkey: owner, stakePubkey, authorized, lamports: size }),
    stake,
  );
  const votePubkey = new PublicKey((await validator())?.votePubkey ?? '');
  await send(StakeProgram.delegate({ stakePubkey, authorizedPubkey: owner, votePubkey }));
  expect((await validator())?.activatedStake).toBe(before);
  const delegated = async (): Promise<number> => (await connection.getBalance(validatorStake)) - rent;
  passEpochs(1);
  expect((await validator())?.activatedStake).toBe((await delegated()) + size - rent);
  const begun = (await connection.getEpochInfo()).epoch;
  passEpochs(EPOCHS_PER_YEAR);
  expect((await connection.getEpochInfo()).epoch).toBe(begun + EPOCHS_PER_YEAR);
  let held = size;
  for (let epoch = begun; epoch < begun + EPOCHS_PER_YEAR; epoch++) {
    const [reward] = await connection.getInflationReward([stakePubkey], epoch, 'confirmed');
    expect(reward?.amount).toBeGreaterThan(0);
    held += reward?.amount ?? Number.NaN;
    expect(reward).toMatchObject({
      epoch,
      postBalance: held,
      effectiveSlot: (epoch + 1) * SLOTS_PER_EPOCH + 1,
    });
  }
  expect(await connection.getBalance(stakePubkey)).toBe(held);
  expect(await validator()).toMatchObject({
    activatedStake: (await delegated()) + held - rent,
    epochCredits: { length: 5 },
  });
  // It keeps a blockhash for half a minute, and a year is shorter here.
  connection = connect();
  await send(StakeProgram.deactivate({ stakePubkey, authorizedPubkey: owner }));
  const locked = StakeProgram.withdraw({
    stakePubkey,
    authorizedPubkey: owner,
    toPubkey: owner,
    lamports: size,
  });
  await expect(send(locked)).rejects.toThrow('insufficient funds');
  passEpochs(1);
  expect((await validator())?.activatedStake).toBe(await delegated());
  const [paid, all] = [await connection.getBalance(owner), await connection.getBalance(stakePubkey)];
  expect(all).toBeGreaterThan(held);
  const free = { stakePubkey, authorizedPubkey: owner, toPubkey: owner, lamports: all };
  await send(StakeProgram.withdraw(free));
  expect(await connection.getBalance(owner)).toBe(paid + all - FEE);
  expect(await connection.getAccountInfo(stakePubkey)).toBeNull();
});

test('with kit: a stake too large for one epoch warms up over several, and earns by what is effective', async () => {
  const rpc = createSolanaRpc(`http://127.0.0.1:${server.port}`);
  const [owner, stake] = await Promise.all([generateKeyPairSigner(), generateKeyPairSigner()]);
  await rpc.requestAirdrop(owner.address, lamports(300_000n * SOL)).send();
  const send = async (...instructions: readonly Instruction[]): Promise<void> => {
    const { value: blockhash } = await rpc.getLatestBlockhash({ commitment: 'confirmed' }).send();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayerSigner(owner, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
      (living) => appendTransactionMessageInstructions(instructions, living),
    );
    const wire = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
    const signature = await rpc.sendTransaction(wire, { encoding: 'base64', skipPreflight: true }).send();
    const [status] = (await rpc.getSignatureStatuses([signature]).send()).value;
    expect(status).toMatchObject({ err: null });
  };
  const votes = async () => {
    const { current } = await rpc.getVoteAccounts({ commitment: 'processed' }).send();
    const [validator] = current;
    if (validator === undefined) throw new Error('no validator votes');
    return validator;
  };
  const { votePubkey } = await votes();
  const rent = await rpc.getMinimumBalanceForRentExemption(STAKE_BYTES).send();
  const delegated = async (stakeAddress: Address): Promise<bigint> =>
    (await rpc.getBalance(stakeAddress, { commitment: 'processed' }).send()).value - rent;
  const own = () => delegated(address(run.ledger.genesis.stakeAddress));
  await send(
    getCreateAccountInstruction({
      payer: owner,
      newAccount: stake,
      lamports: STAKED,
      space: STAKE_BYTES,
      programAddress: STAKE_PROGRAM,
    }),
    initialize(stake.address, owner.address),
    delegate(stake.address, votePubkey, owner),
  );
  const active: bigint[] = [];
  for (let epoch = 0; epoch < 4; epoch++) {
    passEpochs(1);
    active.push((await votes()).activatedStake - (await own()));
  }
  const [first = 0n, second = 0n] = active;
  expect(first).toBeLessThanOrEqual(((await own()) * 9n) / 100n);
  expect(second).toBeGreaterThan(first);
  expect(active.at(-1)).toBe(await delegated(stake.address));
  const { epoch } = await rpc.getEpochInfo({ commitment: 'confirmed' }).send();
  const history = await rpc
    .getAccountInfo(STAKE_HISTORY, { encoding: 'jsonParsed', commitment: 'processed' })
    .send();
  expect(history.value?.data).toMatchObject({ parsed: { info: { 0: { epoch: expect.any(BigInt) } } } });
  const amounts: bigint[] = [];
  for (const past of [4n, 3n, 2n, 1n]) {
    const asked = { commitment: 'confirmed', epoch: epoch - past } as const;
    const [reward] = await rpc.getInflationReward([stake.address], asked).send();
    amounts.push(reward?.amount ?? 0n);
    if (reward === null || reward === undefined) continue;
    const block = await rpc
      .getBlock(reward.effectiveSlot, { commitment: 'confirmed', transactionDetails: 'none', rewards: true })
      .send();
    expect(block?.rewards).toContainEqual(
      expect.objectContaining({ pubkey: stake.address, rewardType: 'Staking', lamports: reward.amount }),
    );
  }
  const [none = 0n, warming = 0n, warmer = 0n, warm = 0n] = amounts;
  expect([none === 0n, warming > 0n, warmer > warming, warm > warmer]).toEqual([true, true, true, true]);
  expect(await delegated(stake.address)).toBe(STAKED - rent + warming + warmer + warm);
});

/** Initializes a stake account that its owner alone rules, without a lockup. */
function initialize(stake: Address, owner: Address): Instruction {
  const key = getAddressEncoder().encode(owner);
  const noLockup = new Uint8Array(8 + 8 + 32);
  return {
    programAddress: STAKE_PROGRAM,
    accounts: [
      { address: stake, role: AccountRole.WRITABLE },
      { address: RENT, role: AccountRole.READONLY },
    ],
    data: Uint8Array.from([0, 0, 0, 0, ...key, ...key, ...noLockup]),
  };
}

function delegate(stake: Address, vote: Address, owner: KeyPairSigner): Instruction {
  const readonly = [vote, CLOCK, STAKE_HISTORY, STAKE_CONFIG].map((known) => ({
    address: known,
    role: AccountRole.READONLY,
  }));
  return {
    programAddress: STAKE_PROGRAM,
    accounts: [
      { address: stake, role: AccountRole.WRITABLE },
      ...readonly,
      { address: owner.address, role: AccountRole.READONLY_SIGNER },
    ],
    data: Uint8Array.of(2, 0, 0, 0),
  };
}
