import {
  appendTransactionMessageInstructions,
  type Blockhash,
  createTransactionMessage,
  generateKeyPairSigner,
  isSolanaError,
  pipe,
  SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE,
  SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED,
  SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND,
  SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE,
  type SolanaError,
  setTransactionMessageComputeUnitPrice,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  type Transaction,
} from '@solana/kit';
import { expect, test } from 'vitest';
import {
  balanceOf,
  FEE,
  fundedSigner,
  landed,
  messageOf,
  newAddress,
  rpc,
  SOL,
  send,
  signed,
  transfer,
} from './client.ts';

type PreflightFailure = SolanaError<
  typeof SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE
>;

const UNTRIED = {
  accounts: null,
  fee: null,
  innerInstructions: null,
  loadedAccountsDataSize: 0,
  loadedAddresses: null,
  logs: [],
  postBalances: null,
  postTokenBalances: null,
  preBalances: null,
  preTokenBalances: null,
  replacementBlockhash: null,
  returnData: null,
  unitsConsumed: 0n,
};

async function preflightFailure(transaction: Transaction): Promise<PreflightFailure> {
  const error = await send(transaction).then(
    (signature) => new Error(`accepted as ${signature}`),
    (thrown: unknown) => thrown,
  );
  if (isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_SEND_TRANSACTION_PREFLIGHT_FAILURE))
    return error;
  throw error;
}

test('preflight refuses a transfer of more than there is, with the logs and the program error', async () => {
  const payer = await fundedSigner(SOL);
  const failure = await preflightFailure(
    await signed(payer, [transfer(payer, await newAddress(), 2n * SOL)]),
  );
  expect(isSolanaError(failure.cause, SOLANA_ERROR__INSTRUCTION_ERROR__CUSTOM)).toBe(true);
  expect(failure.cause).toMatchObject({ context: { code: 1, index: 0 } });
  expect(failure.context.logs).toContain(
    'Program 11111111111111111111111111111111 failed: custom program error: 0x1',
  );
  expect(failure.context.unitsConsumed).toBe(150n);
  expect(await balanceOf(payer.address)).toBe(SOL);
});

test('without preflight the same transfer lands as failed and costs its fee', async () => {
  const payer = await fundedSigner(SOL);
  const transaction = await signed(payer, [transfer(payer, await newAddress(), 2n * SOL)]);
  const signature = await send(transaction, { skipPreflight: true });
  const { err } = await landed(signature);
  expect(err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
  expect(await balanceOf(payer.address)).toBe(SOL - FEE);

  const found = await rpc
    .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  expect(found?.meta?.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
  expect(found?.meta?.status).toEqual({ Err: { InstructionError: [0n, { Custom: 1n }] } });
  expect(found?.meta?.fee).toBe(FEE);
});

test('a payer that does not exist is AccountNotFound, with nothing simulated', async () => {
  const stranger = await generateKeyPairSigner();
  const failure = await preflightFailure(
    await signed(stranger, [transfer(stranger, await newAddress(), 1n)]),
  );
  expect(isSolanaError(failure.cause, SOLANA_ERROR__TRANSACTION_ERROR__ACCOUNT_NOT_FOUND)).toBe(true);
  expect(failure.context).toMatchObject(UNTRIED);
});

test('a payer that cannot pay the fee is InsufficientFundsForFee', async () => {
  const poor = await fundedSigner(SOL / 10n);
  // A million lamports for each compute unit, of which there are at least 3,000 for each instruction.
  const message = setTransactionMessageComputeUnitPrice(
    1_000_000_000_000n,
    await messageOf(poor, [transfer(poor, await newAddress(), SOL / 20n)]),
  );
  const failure = await preflightFailure(await signTransactionMessageWithSigners(message));
  expect(isSolanaError(failure.cause, SOLANA_ERROR__TRANSACTION_ERROR__INSUFFICIENT_FUNDS_FOR_FEE)).toBe(
    true,
  );
  expect(failure.context).toMatchObject(UNTRIED);
});

test('a blockhash that never was is BlockhashNotFound', async () => {
  const payer = await fundedSigner(SOL);
  const blockhash = { blockhash: '11111111111111111111111111111111' as Blockhash, lastValidBlockHeight: 1n };
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(blockhash, paid),
    (timed) => appendTransactionMessageInstructions([], timed),
  );
  const failure = await preflightFailure(await signTransactionMessageWithSigners(message));
  expect(isSolanaError(failure.cause, SOLANA_ERROR__TRANSACTION_ERROR__BLOCKHASH_NOT_FOUND)).toBe(true);
  expect(failure.context).toMatchObject(UNTRIED);
});

test('a transaction sent again is AlreadyProcessed', async () => {
  const payer = await fundedSigner(SOL);
  const transaction = await signed(payer, [transfer(payer, await newAddress(), SOL / 2n)]);
  await landed(await send(transaction));
  const failure = await preflightFailure(transaction);
  expect(isSolanaError(failure.cause, SOLANA_ERROR__TRANSACTION_ERROR__ALREADY_PROCESSED)).toBe(true);
});
