import type { Address, KeyPairSigner } from '@solana/kit';
import {
  fetchMint,
  fetchToken,
  getApproveInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS,
} from '@solana-program/token';
import { beforeAll, expect, test } from 'vitest';
import { fundedSigner, land, newAddress, rpc } from './client.ts';
import { createMint, DECIMALS, openTokenAccount, tokenAccountOf } from './mint.ts';

let payer: KeyPairSigner;
let mint: Address;
let source: Address;
let recipient: Address;
let destination: Address;
let delegate: Address;
let transferred: Awaited<ReturnType<typeof land>>;

beforeAll(async () => {
  payer = await fundedSigner();
  mint = await createMint(payer, 5_000_000n);
  source = await tokenAccountOf(payer.address, mint);
  recipient = await newAddress();
  destination = await tokenAccountOf(recipient, mint);
  delegate = await newAddress();
  transferred = await land(payer, [
    await openTokenAccount(payer, recipient, mint),
    getTransferCheckedInstruction({
      source,
      mint,
      destination,
      authority: payer,
      amount: 1_250_000n,
      decimals: DECIMALS,
    }),
    getApproveInstruction({ source, delegate, owner: payer, amount: 300_000n }),
  ]);
});

test('balances and supply are exact after a transfer', async () => {
  expect((await rpc.getTokenAccountBalance(source).send()).value).toEqual({
    amount: '3750000',
    decimals: 6,
    uiAmount: 3.75,
    uiAmountString: '3.75',
  });
  expect((await rpc.getTokenAccountBalance(destination).send()).value.amount).toBe('1250000');
  expect((await rpc.getTokenSupply(mint).send()).value.amount).toBe('5000000');
});

test('the largest holders come in descending order', async () => {
  const { value } = await rpc.getTokenLargestAccounts(mint).send();
  expect(value.map(({ address, amount }) => [address, amount])).toEqual([
    [source, '3750000'],
    [destination, '1250000'],
  ]);
});

test('the program client decodes the accounts', async () => {
  expect((await fetchMint(rpc, mint)).data).toMatchObject({
    supply: 5_000_000n,
    decimals: DECIMALS,
    isInitialized: true,
  });
  const { data } = await fetchToken(rpc, source);
  expect(data).toMatchObject({ mint, owner: payer.address, amount: 3_750_000n, delegatedAmount: 300_000n });
});

test('accounts are found by owner, through the mint and through the program', async () => {
  const byMint = await rpc.getTokenAccountsByOwner(recipient, { mint }, { encoding: 'jsonParsed' }).send();
  expect(byMint.value.map(({ pubkey }) => pubkey)).toEqual([destination]);
  expect(byMint.value[0]?.account.data.parsed.info).toMatchObject({
    mint,
    owner: recipient,
    state: 'initialized',
    isNative: false,
    tokenAmount: { amount: '1250000', decimals: 6, uiAmount: 1.25, uiAmountString: '1.25' },
  });
  const filter = { programId: TOKEN_PROGRAM_ADDRESS };
  const byProgram = await rpc.getTokenAccountsByOwner(recipient, filter, { encoding: 'base64' }).send();
  expect(byProgram.value.map(({ pubkey }) => pubkey)).toEqual([destination]);
  expect(Buffer.from(byProgram.value[0]?.account.data[0] ?? '', 'base64')).toHaveLength(165);
});

test('accounts are found by delegate', async () => {
  const { value } = await rpc
    .getTokenAccountsByDelegate(delegate, { mint }, { encoding: 'jsonParsed' })
    .send();
  expect(value.map(({ pubkey }) => pubkey)).toEqual([source]);
  expect(value[0]?.account.data.parsed.info).toMatchObject({
    delegate,
    delegatedAmount: { amount: '300000' },
  });
});

test('the transaction tells the token balances before and after', async () => {
  const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 } as const;
  const found = await rpc.getTransaction(transferred.signature, config).send();
  const amounts = (balances: typeof before): unknown =>
    balances?.map(({ owner, uiTokenAmount }) => [owner, uiTokenAmount.amount]);
  const before = found?.meta?.preTokenBalances;
  expect(amounts(before)).toEqual([[payer.address, '5000000']]);
  const after = amounts(found?.meta?.postTokenBalances);
  expect(after).toHaveLength(2);
  expect(after).toEqual(
    expect.arrayContaining([
      [payer.address, '3750000'],
      [recipient, '1250000'],
    ]),
  );
  expect(found?.transaction.message.instructions[1]).toMatchObject({
    program: 'spl-token',
    parsed: {
      type: 'transferChecked',
      info: { source, destination, mint, tokenAmount: { amount: '1250000', decimals: 6n } },
    },
  });
});

test('creating the account of a recipient shows what it called', async () => {
  const config = { encoding: 'jsonParsed', maxSupportedTransactionVersion: 0 } as const;
  const found = await rpc.getTransaction(transferred.signature, config).send();
  const inner = found?.meta?.innerInstructions ?? [];
  expect(inner.map(({ index }) => index)).toEqual([0]);
  const types = inner[0]?.instructions.map(
    (instruction) => 'parsed' in instruction && instruction.parsed.type,
  );
  expect(types).toContain('initializeAccount3');
  expect(inner[0]?.instructions.every(({ stackHeight }) => stackHeight === 2)).toBe(true);
});
