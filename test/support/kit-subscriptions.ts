import {
  airdropFactory,
  appendTransactionMessageInstruction,
  assertIsTransactionWithBlockhashLifetime,
  createSolanaRpc,
  createSolanaRpcSubscriptions_UNSTABLE,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type KeyPairSigner,
  lamports,
  pipe,
  sendAndConfirmTransactionFactory,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
} from '@solana/kit';
import { getTransferSolInstruction, SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { afterAll, beforeAll, expect, test } from 'vitest';

import type { SubscribableNode } from './subscribable-node.ts';
import { CONSENSUS } from './test-ledger.ts';

const SOL = 1_000_000_000n;

/** Tests of kit's subscriptions, at anything that answers as a node. */
export function testKitSubscriptions(start: () => Promise<SubscribableNode>): void {
  let node: SubscribableNode;

  beforeAll(async () => {
    node = await start();
  });
  afterAll(() => node.stop());

  function clients() {
    const rpc = createSolanaRpc(node.url);
    const rpcSubscriptions = createSolanaRpcSubscriptions_UNSTABLE(node.wsUrl);
    return { rpc, rpcSubscriptions };
  }

  /** The airdrop is awaited by its signature's notification. */
  async function funded(): Promise<KeyPairSigner> {
    const signer = await generateKeyPairSigner();
    await airdropFactory(clients())({
      commitment: 'confirmed',
      lamports: lamports(10n * SOL),
      recipientAddress: signer.address,
    });
    return signer;
  }

  async function transferOf(source: KeyPairSigner, destination: KeyPairSigner, amount = SOL) {
    const { value: latest } = await clients().rpc.getLatestBlockhash().send();
    const message = pipe(
      createTransactionMessage({ version: 0 }),
      (each) => setTransactionMessageFeePayerSigner(source, each),
      (each) => setTransactionMessageLifetimeUsingBlockhash(latest, each),
      (each) =>
        appendTransactionMessageInstruction(
          getTransferSolInstruction({ source, destination: destination.address, amount }),
          each,
        ),
    );
    const transaction = await signTransactionMessageWithSigners(message);
    assertIsTransactionWithBlockhashLifetime(transaction);
    return transaction;
  }

  /** The first few notifications of a subscription, or the first few of those that count. */
  async function first<T>(
    count: number,
    subscribed: AsyncIterable<T> | Promise<AsyncIterable<T>>,
    counts: (each: T) => boolean = () => true,
  ): Promise<readonly T[]> {
    const told: T[] = [];
    for await (const each of await subscribed) if (counts(each) && told.push(each) === count) break;
    return told;
  }

  test('sendAndConfirm resolves at each level, when the transaction has reached it', async () => {
    const { rpc, rpcSubscriptions } = clients();
    const [source, destination] = [await funded(), await generateKeyPairSigner()];
    const sendAndConfirm = sendAndConfirmTransactionFactory({ rpc, rpcSubscriptions });
    let sent = 0n;
    for (const [index, commitment] of (['processed', 'confirmed', 'finalized'] as const).entries()) {
      // With one amount and one blockhash they would be one transaction.
      const amount = SOL + BigInt(index);
      sent += amount;
      await sendAndConfirm(await transferOf(source, destination, amount), { commitment });
      const { value } = await rpc.getBalance(destination.address, { commitment }).send();
      expect(value).toBe(sent);
    }
  });

  test('accounts, programs, logs and signatures receive a transfer', async () => {
    const { rpc, rpcSubscriptions } = clients();
    const [source, destination] = [await funded(), await generateKeyPairSigner()];
    const { address } = destination;
    const abortSignal = AbortSignal.timeout(20_000);
    const transaction = await transferOf(source, destination);
    const signature = getSignatureFromTransaction(transaction);
    const [account, programs, logs, outcome] = await Promise.all([
      rpcSubscriptions.accountNotifications(address, { encoding: 'base64' }).subscribe({ abortSignal }),
      rpcSubscriptions
        .programNotifications(SYSTEM_PROGRAM_ADDRESS, { encoding: 'base64' })
        .subscribe({ abortSignal }),
      rpcSubscriptions.logsNotifications({ mentions: [address] }).subscribe({ abortSignal }),
      rpcSubscriptions
        .signatureNotifications(signature, { enableReceivedNotification: true })
        .subscribe({ abortSignal }),
    ]);
    // The validator pays for its votes, which changes an account of the system program in every slot.
    const parties: readonly string[] = [source.address, address];
    const changed = first(2, programs, ({ value }) => parties.includes(value.pubkey));
    const heard = Promise.all([first(1, account), changed, first(1, logs), first(2, outcome)]);
    const wire = getBase64EncodedWireTransaction(transaction);
    await rpc.sendTransaction(wire, { encoding: 'base64' }).send();
    const [accounts, changes, logged, outcomes] = await heard;
    expect(accounts).toMatchObject([{ context: { slot: expect.any(BigInt) }, value: { lamports: SOL } }]);
    expect(changes.map(({ value }) => value.pubkey).sort()).toEqual(parties.toSorted());
    expect(logged).toMatchObject([{ value: { signature, err: null } }]);
    expect(outcomes).toMatchObject([{ value: 'receivedSignature' }, { value: { err: null } }]);
  });

  test('slots, roots, steps of slots, blocks and, under tower, votes are told, in a row', async () => {
    const { rpcSubscriptions } = clients();
    const options = { abortSignal: AbortSignal.timeout(20_000) };
    const [slots, roots, steps, blocks, votes] = await Promise.all([
      first(2, rpcSubscriptions.slotNotifications().subscribe(options)),
      first(2, rpcSubscriptions.rootNotifications().subscribe(options)),
      first(5, rpcSubscriptions.slotsUpdatesNotifications().subscribe(options)),
      first(2, rpcSubscriptions.blockNotifications('all').subscribe(options)),
      CONSENSUS === 'tower' ? first(2, rpcSubscriptions.voteNotifications().subscribe(options)) : [],
    ]);
    expect(slots[1]?.parent).toBe(slots[0]?.slot);
    expect((roots[1] ?? 0n) - (roots[0] ?? 0n)).toBe(1n);
    expect(steps.map(({ type }) => type).sort()).toEqual(
      ['completed', 'createdBank', 'frozen', 'optimisticConfirmation', 'root'].sort(),
    );
    const [earlier, later] = blocks.map(({ value }) => value.block);
    expect(later?.previousBlockhash).toBe(earlier?.blockhash);
    if (CONSENSUS === 'tower') expect((votes[1]?.slots[0] ?? 0n) - (votes[0]?.slots[0] ?? 0n)).toBe(1n);
  });
}
