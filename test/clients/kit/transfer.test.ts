import {
  getBase64Decoder,
  getTransactionDecoder,
  getBase64Encoder,
  type TransactionMessageBytesBase64,
} from '@solana/kit';
import { expect, test } from 'vitest';
import { balanceOf, FEE, fundedSigner, land, newAddress, rpc, SOL, signed, transfer } from './client.ts';

test('a transfer moves the exact amount and costs 5,000 lamports per signature', async () => {
  const payer = await fundedSigner(3n * SOL);
  const recipient = await newAddress();
  await land(payer, [transfer(payer, recipient, 1_234_567_891n)]);
  expect(await balanceOf(recipient)).toBe(1_234_567_891n);
  expect(await balanceOf(payer.address)).toBe(3n * SOL - 1_234_567_891n - FEE);
});

test('two signatures cost twice the fee, and only the payer pays it', async () => {
  const payer = await fundedSigner(SOL);
  const source = await fundedSigner(2n * SOL);
  const recipient = await newAddress();
  const { signature } = await land(payer, [transfer(source, recipient, SOL)]);
  expect(await balanceOf(payer.address)).toBe(SOL - 2n * FEE);
  expect(await balanceOf(source.address)).toBe(SOL);

  const found = await rpc
    .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
    .send();
  const keys = found?.transaction.message.accountKeys ?? [];
  expect(found?.meta?.fee).toBe(2n * FEE);
  const at = (account: string): number => keys.indexOf(account as (typeof keys)[number]);
  expect(found?.meta?.preBalances[at(source.address)]).toBe(2n * SOL);
  expect(found?.meta?.postBalances[at(source.address)]).toBe(SOL);
  expect(found?.meta?.preBalances[at(recipient)]).toBe(0n);
  expect(found?.meta?.postBalances[at(recipient)]).toBe(SOL);
});

test('getFeeForMessage foretells the fee', async () => {
  const payer = await fundedSigner(SOL);
  const { messageBytes } = await signed(payer, [transfer(payer, await newAddress(), SOL / 2n)]);
  const message = getBase64Decoder().decode(messageBytes) as TransactionMessageBytesBase64;
  expect((await rpc.getFeeForMessage(message).send()).value).toBe(FEE);
});

test('the transaction that comes back is the one that was sent, byte for byte', async () => {
  const payer = await fundedSigner(SOL);
  const { signature, slot } = await land(payer, [transfer(payer, await newAddress(), SOL / 2n)]);
  const found = await rpc
    .getTransaction(signature, { encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send();
  const decoded = getTransactionDecoder().decode(getBase64Encoder().encode(found?.transaction[0] ?? ''));
  expect(Object.keys(decoded.signatures)).toEqual([payer.address]);
  expect(found?.slot).toBe(slot);
});
