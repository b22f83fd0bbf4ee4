import {
  type Address,
  type Base64EncodedWireTransaction,
  type Blockhash,
  getBase64EncodedWireTransaction,
  type KeyPairSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferCheckedInstruction } from '@solana-program/token';
import { beforeAll, expect, test } from 'vitest';
import {
  balanceOf,
  FEE,
  fundedSigner,
  messageOf,
  newAddress,
  rpc,
  SOL,
  signed,
  transfer,
  unsigned,
} from './client.ts';
import { createMint, DECIMALS, openTokenAccount, tokenAccountOf } from './mint.ts';

let payer: KeyPairSigner;
let recipient: Address;
let wire: Base64EncodedWireTransaction;
let wireUnsigned: Base64EncodedWireTransaction;
let wireExpired: Base64EncodedWireTransaction;

beforeAll(async () => {
  payer = await fundedSigner();
  recipient = await newAddress();
  const instructions = [transfer(payer, recipient, SOL)];
  wire = getBase64EncodedWireTransaction(await signed(payer, instructions));
  wireUnsigned = getBase64EncodedWireTransaction(await unsigned(payer, instructions));
  const expired = {
    blockhash: '4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM' as Blockhash,
    lastValidBlockHeight: 0n,
  };
  const message = setTransactionMessageLifetimeUsingBlockhash(expired, await messageOf(payer, instructions));
  wireExpired = getBase64EncodedWireTransaction(await signTransactionMessageWithSigners(message));
});

test('a simulation tells logs, fee, units and balances, and changes nothing', async () => {
  const before = await balanceOf(payer.address);
  const { value } = await rpc.simulateTransaction(wire, { encoding: 'base64' }).send();
  expect(value).toMatchObject({
    err: null,
    fee: FEE,
    unitsConsumed: 150n,
    accounts: null,
    replacementBlockhash: null,
    returnData: null,
    preTokenBalances: [],
    postTokenBalances: [],
    loadedAddresses: { readonly: [], writable: [] },
  });
  expect(value.logs).toEqual([
    'Program 11111111111111111111111111111111 invoke [1]',
    'Program 11111111111111111111111111111111 success',
  ]);
  expect(value.preBalances).toEqual([before, 0n, 1n]);
  expect(value.postBalances).toEqual([before - SOL - FEE, SOL, 1n]);
  expect(await balanceOf(payer.address)).toBe(before);
  expect(await balanceOf(recipient)).toBe(0n);
});

test('sigVerify makes a missing signature an error of the transaction, not of the call', async () => {
  const lax = await rpc.simulateTransaction(wireUnsigned, { encoding: 'base64' }).send();
  expect(lax.value.err).toBeNull();
  const strict = await rpc.simulateTransaction(wireUnsigned, { encoding: 'base64', sigVerify: true }).send();
  expect(strict.value.err).toBe('SignatureFailure');
  const good = await rpc.simulateTransaction(wire, { encoding: 'base64', sigVerify: true }).send();
  expect(good.value.err).toBeNull();
});

test('replaceRecentBlockhash makes an expired transaction simulable and tells the blockhash', async () => {
  const stale = await rpc.simulateTransaction(wireExpired, { encoding: 'base64' }).send();
  expect(stale.value.err).toBe('BlockhashNotFound');
  const { value } = await rpc
    .simulateTransaction(wireExpired, { encoding: 'base64', replaceRecentBlockhash: true })
    .send();
  expect(value.err).toBeNull();
  expect(value.replacementBlockhash.lastValidBlockHeight).toBeGreaterThan(await rpc.getBlockHeight().send());
  expect((await rpc.isBlockhashValid(value.replacementBlockhash.blockhash).send()).value).toBe(true);
});

test('accounts come back as they would be after the transaction', async () => {
  const stranger = await newAddress();
  const accounts = { addresses: [recipient, stranger], encoding: 'base64' } as const;
  const { value } = await rpc.simulateTransaction(wire, { encoding: 'base64', accounts }).send();
  expect(value.accounts).toHaveLength(2);
  expect(value.accounts[0]).toMatchObject({
    lamports: SOL,
    owner: '11111111111111111111111111111111',
    space: 0n,
  });
  expect(value.accounts[1]).toBeNull();
});

test('innerInstructions are listed when asked for', async () => {
  const mint = await createMint(payer, 1_000_000n);
  const source = await tokenAccountOf(payer.address, mint);
  const destination = await tokenAccountOf(recipient, mint);
  const transaction = await signed(payer, [
    await openTokenAccount(payer, recipient, mint),
    getTransferCheckedInstruction({
      source,
      mint,
      destination,
      authority: payer,
      amount: 400_000n,
      decimals: DECIMALS,
    }),
  ]);
  const encoded = getBase64EncodedWireTransaction(transaction);
  const { value } = await rpc
    .simulateTransaction(encoded, { encoding: 'base64', innerInstructions: true })
    .send();
  expect(value.err).toBeNull();
  expect(value.innerInstructions?.map(({ index }) => index)).toEqual([0]);
  expect(value.postTokenBalances?.map(({ uiTokenAmount }) => uiTokenAmount.amount).sort()).toEqual([
    '400000',
    '600000',
  ]);
  const without = await rpc.simulateTransaction(encoded, { encoding: 'base64' }).send();
  expect(without.value).toMatchObject({ innerInstructions: null });
});

test('minContextSlot above the ledger is refused, at it is served', async () => {
  const slot = await rpc.getSlot().send();
  const served = await rpc.simulateTransaction(wire, { encoding: 'base64', minContextSlot: slot }).send();
  expect(served.value.err).toBeNull();
  const ahead = rpc
    .simulateTransaction(wire, { encoding: 'base64', minContextSlot: slot + 1_000_000n })
    .send();
  await expect(ahead).rejects.toThrow('Minimum context slot has not been reached');
});

test('a failing instruction is reported in err with its logs', async () => {
  const encoded = getBase64EncodedWireTransaction(
    await signed(payer, [transfer(payer, recipient, 1000n * SOL)]),
  );
  const { value } = await rpc.simulateTransaction(encoded, { encoding: 'base64' }).send();
  expect(value.err).toEqual({ InstructionError: [0n, { Custom: 1n }] });
  expect(value.logs?.at(-1)).toBe(
    'Program 11111111111111111111111111111111 failed: custom program error: 0x1',
  );
});
