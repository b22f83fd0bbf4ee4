import {
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  createApproveInstruction,
  getAccount,
  getAssociatedTokenAddressSync,
  getMinimumBalanceForRentExemptMint,
  getMint,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, type PublicKey, SystemProgram } from '@solana/web3.js';
import { beforeAll, expect, test } from 'vitest';
import { connection, fundedKeypair, land } from './client.ts';

const mint = Keypair.generate();
const recipient = Keypair.generate().publicKey;
const delegate = Keypair.generate().publicKey;
let owner: Keypair;
let source: PublicKey;
let destination: PublicKey;
let transferSignature: string;

beforeAll(async () => {
  owner = await fundedKeypair();
  source = getAssociatedTokenAddressSync(mint.publicKey, owner.publicKey);
  destination = getAssociatedTokenAddressSync(mint.publicKey, recipient);
  const payer = owner.publicKey;
  const lamports = await getMinimumBalanceForRentExemptMint(connection);
  const account = {
    fromPubkey: payer,
    newAccountPubkey: mint.publicKey,
    lamports,
    space: MINT_SIZE,
    programId: TOKEN_PROGRAM_ID,
  };
  await land(
    owner,
    [
      SystemProgram.createAccount(account),
      createInitializeMint2Instruction(mint.publicKey, 6, payer, null),
      createAssociatedTokenAccountInstruction(payer, source, payer, mint.publicKey),
      createMintToInstruction(mint.publicKey, source, payer, 5_000_000n),
    ],
    [mint],
  );
  const transfer = await land(owner, [
    createAssociatedTokenAccountInstruction(payer, destination, recipient, mint.publicKey),
    createTransferCheckedInstruction(source, mint.publicKey, destination, payer, 1_250_000n, 6),
    createApproveInstruction(source, delegate, payer, 300_000n),
  ]);
  transferSignature = transfer.signature;
});

test('spl-token reads mint and accounts', async () => {
  expect(await getMint(connection, mint.publicKey)).toMatchObject({
    supply: 5_000_000n,
    decimals: 6,
    freezeAuthority: null,
  });
  expect(await getAccount(connection, source)).toMatchObject({
    amount: 3_750_000n,
    owner: owner.publicKey,
    delegate,
    delegatedAmount: 300_000n,
  });
  expect(await getAccount(connection, destination)).toMatchObject({
    amount: 1_250_000n,
    owner: recipient,
    delegate: null,
  });
});

test('balance, supply and largest accounts are exact', async () => {
  expect((await connection.getTokenAccountBalance(source)).value).toEqual({
    amount: '3750000',
    decimals: 6,
    uiAmount: 3.75,
    uiAmountString: '3.75',
  });
  expect((await connection.getTokenSupply(mint.publicKey)).value.amount).toBe('5000000');
  const { value } = await connection.getTokenLargestAccounts(mint.publicKey);
  expect(value.map(({ address, amount }) => [address.toBase58(), amount])).toEqual([
    [source.toBase58(), '3750000'],
    [destination.toBase58(), '1250000'],
  ]);
});

test('accounts are found by owner, raw and parsed', async () => {
  const raw = await connection.getTokenAccountsByOwner(recipient, { mint: mint.publicKey });
  expect(raw.value.map(({ pubkey }) => pubkey)).toEqual([destination]);
  expect(raw.value[0]?.account.data).toHaveLength(165);
  const parsed = await connection.getParsedTokenAccountsByOwner(recipient, { programId: TOKEN_PROGRAM_ID });
  expect(parsed.value[0]?.account.data).toMatchObject({
    program: 'spl-token',
    parsed: { type: 'account', info: { state: 'initialized', tokenAmount: { uiAmountString: '1.25' } } },
    space: 165,
  });
});

test('a parsed account shows delegate and amount', async () => {
  const { value } = await connection.getParsedAccountInfo(source);
  expect(value?.data).toMatchObject({
    parsed: { info: { delegate: delegate.toBase58(), delegatedAmount: { amount: '300000', uiAmount: 0.3 } } },
  });
});

test('the transaction tells the token balances before and after', async () => {
  const found = await connection.getParsedTransaction(transferSignature, {
    maxSupportedTransactionVersion: 0,
  });
  const amounts = (balances: typeof before): unknown =>
    new Map(balances?.map(({ owner: holder, uiTokenAmount }) => [holder, uiTokenAmount.amount]));
  const before = found?.meta?.preTokenBalances;
  expect(amounts(before)).toEqual(new Map([[owner.publicKey.toBase58(), '5000000']]));
  expect(amounts(found?.meta?.postTokenBalances)).toEqual(
    new Map([
      [owner.publicKey.toBase58(), '3750000'],
      [recipient.toBase58(), '1250000'],
    ]),
  );
});
