import {
  type Address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  type KeyPairSigner,
  type Nonce,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import {
  fetchNonce,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { beforeAll, expect, test } from 'vitest';
import {
  balanceOf,
  FEE,
  fundedSigner,
  land,
  landed,
  newAddress,
  rpc,
  SOL,
  send,
  transfer,
} from './client.ts';

let payer: KeyPairSigner;
let nonceAccount: Address;

beforeAll(async () => {
  payer = await fundedSigner();
  const nonce = await generateKeyPairSigner();
  nonceAccount = nonce.address;
  const space = BigInt(getNonceSize());
  const lamports = await rpc.getMinimumBalanceForRentExemption(space).send();
  await land(payer, [
    getCreateAccountInstruction({
      payer,
      newAccount: nonce,
      lamports,
      space,
      programAddress: SYSTEM_PROGRAM_ADDRESS,
    }),
    getInitializeNonceAccountInstruction({ nonceAccount, nonceAuthority: payer.address }),
  ]);
});

/** A transfer whose lifetime is the nonce and not a blockhash. */
async function nonceTransfer(nonce: Address, recipient: Address) {
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(payer, empty),
    (paid) =>
      setTransactionMessageLifetimeUsingDurableNonce(
        {
          nonce: nonce as string as Nonce,
          nonceAccountAddress: nonceAccount,
          nonceAuthorityAddress: payer.address,
        },
        paid,
      ),
    (timed) => appendTransactionMessageInstructions([transfer(payer, recipient, SOL)], timed),
  );
  return await signTransactionMessageWithSigners(message);
}

test('a nonce stands in the place of a blockhash, and is used up by it', async () => {
  const recipient = await newAddress();
  const { data } = await fetchNonce(rpc, nonceAccount);
  expect(data.authority).toBe(payer.address);
  expect(data.lamportsPerSignature).toBe(FEE);
  const transaction = await nonceTransfer(data.blockhash, recipient);
  const { err } = await landed(await send(transaction));
  expect(err).toBeNull();
  expect(await balanceOf(recipient)).toBe(SOL);
  const advanced = await fetchNonce(rpc, nonceAccount);
  expect(advanced.data.blockhash).not.toBe(data.blockhash);
});

test('a nonce that was used already is no valid lifetime', async () => {
  const { data } = await fetchNonce(rpc, nonceAccount);
  await landed(await send(await nonceTransfer(data.blockhash, await newAddress())));
  await expect(send(await nonceTransfer(data.blockhash, await newAddress()))).rejects.toThrow();
});

test('jsonParsed shows the nonce account', async () => {
  const { data } = await fetchNonce(rpc, nonceAccount);
  const { value } = await rpc.getAccountInfo(nonceAccount, { encoding: 'jsonParsed' }).send();
  expect(value?.data).toMatchObject({
    program: 'nonce',
    parsed: {
      type: 'initialized',
      info: {
        authority: payer.address,
        blockhash: data.blockhash,
        feeCalculator: { lamportsPerSignature: '5000' },
      },
    },
    space: 80n,
  });
});
