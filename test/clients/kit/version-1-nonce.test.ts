import {
  type Address,
  generateKeyPairSigner,
  getSignatureFromTransaction,
  type KeyPairSigner,
  type Nonce,
  pipe,
  sendAndConfirmDurableNonceTransactionFactory,
  setTransactionMessageLifetimeUsingDurableNonce,
  signTransactionMessageWithSigners,
  assertIsTransactionWithDurableNonceLifetime,
  assertIsTransactionWithinSizeLimit,
} from '@solana/kit';
import {
  fetchNonce,
  getCreateAccountInstruction,
  getInitializeNonceAccountInstruction,
  getNonceSize,
  SYSTEM_PROGRAM_ADDRESS,
} from '@solana-program/system';
import { beforeAll, describe, expect, test } from 'vitest';
import { TARGETS } from '../targets.ts';
import { type Clients, fundedSigner, land, messageOf, openKit, SOL, transfer } from './version-1.ts';

describe.each(TARGETS)('a durable nonce in version 1 at %s', (_, target) => {
  let clients: Clients;
  let payer: KeyPairSigner;
  let nonceAccount: Address;

  beforeAll(async () => {
    clients = openKit(target);
    payer = await fundedSigner(clients);
    const newAccount = await generateKeyPairSigner();
    nonceAccount = newAccount.address;
    const space = BigInt(getNonceSize());
    const lamports = await clients.rpc.getMinimumBalanceForRentExemption(space).send();
    const account = { payer, newAccount, lamports, space, programAddress: SYSTEM_PROGRAM_ADDRESS };
    await land(clients, payer, [
      getCreateAccountInstruction(account),
      getInitializeNonceAccountInstruction({ nonceAccount, nonceAuthority: payer.address }),
    ]);
  });

  test('stands in the place of a blockhash: estimated, confirmed by kit, and used up', async () => {
    const { rpc, rpcSubscriptions } = clients;
    const recipient = (await generateKeyPairSigner()).address;
    const { data: stored } = await fetchNonce(rpc, nonceAccount);
    const lifetime = {
      nonce: stored.blockhash as string as Nonce,
      nonceAccountAddress: nonceAccount,
      nonceAuthorityAddress: payer.address,
    };
    const message = pipe(await messageOf(clients, payer, [transfer(payer, recipient, SOL)]), (dated) =>
      setTransactionMessageLifetimeUsingDurableNonce(lifetime, dated),
    );
    const transaction = await signTransactionMessageWithSigners(await clients.estimateLimits(message));
    assertIsTransactionWithDurableNonceLifetime(transaction);
    assertIsTransactionWithinSizeLimit(transaction);
    const sendAndConfirm = sendAndConfirmDurableNonceTransactionFactory({ rpc, rpcSubscriptions });
    await sendAndConfirm(transaction, { commitment: 'confirmed' });
    expect((await rpc.getBalance(recipient).send()).value).toBe(SOL);
    expect((await fetchNonce(rpc, nonceAccount)).data.blockhash).not.toBe(stored.blockhash);
    const found = await rpc
      .getTransaction(getSignatureFromTransaction(transaction), {
        encoding: 'json',
        maxSupportedTransactionVersion: 1,
      })
      .send();
    expect(found?.version).toBe(1);
    expect(found?.transaction.message.recentBlockhash).toBe(stored.blockhash);
  });
});
