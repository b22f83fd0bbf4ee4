import { Keypair, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStreamClient, type StreamClient } from '../../../generated/stream/package.ts';
import {
  planTransfer,
  signVersion1,
  TRANSFER_LIMITS,
} from '../../../src/devkit/contract/scenario/version-1.ts';
import { transferFrom } from '../../../src/devkit/contract/scenario/transfers.ts';
import { latestBlockhash } from '../../../src/devkit/contract/scenario/latest-blockhash.ts';
import {
  land,
  openWallet,
  send,
  type WalletSession,
} from '../../../src/devkit/contract/scenario/wallet-session.ts';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { call } from '../../../src/devkit/contract/json-rpc.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';

const recipient = Keypair.generate().publicKey;

let server: RunningKeyslot;
let session: WalletSession;
let client: StreamClient;
beforeAll(async () => {
  server = await startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: '50' } });
  session = await openWallet({ rpcUrl: server.rpcUrl });
  client = createStreamClient({ url: server.grpcUrl, apiKey: server.apiKey });
});
afterAll(async () => {
  client?.close();
  await server?.stop();
});

async function landVersion0(): Promise<string> {
  const message = new TransactionMessage({
    payerKey: session.wallet.publicKey,
    recentBlockhash: await latestBlockhash(session.target),
    instructions: [transferFrom(session, recipient, 10_000_000)],
  });
  const transaction = new VersionedTransaction(message.compileToV0Message());
  transaction.sign([session.wallet]);
  const signature = await send(session, transaction);
  await confirm(session.target, signature);
  return signature;
}

async function landVersion1(): Promise<string> {
  const plan = planTransfer(session.wallet.publicKey.toBase58(), recipient.toBase58(), 10_000_000);
  const { text } = await signVersion1(session.wallet, await latestBlockhash(session.target), plan);
  const options = { encoding: 'base64', preflightCommitment: 'confirmed' };
  const signature = String(await call(session.target, 'sendTransaction', [text, options]));
  await confirm(session.target, signature);
  return signature;
}

it('transactions of every version that land are streamed with version and config', async () => {
  const before = BigInt(Number(await call(session.target, 'getSlot', [{ commitment: 'confirmed' }])));
  const sent = [
    await land(session, [transferFrom(session, recipient, 10_000_000)]),
    await landVersion0(),
    await landVersion1(),
  ];
  const config = {
    priorityFee: 1_000n,
    computeUnitLimit: TRANSFER_LIMITS.computeUnitLimit,
    loadedAccountsDataSizeLimit: TRANSFER_LIMITS.loadedAccountsDataSizeLimit,
  };
  const expected = [{}, { version: 0 }, { version: 1, config }];

  const streamed = new Map<string, unknown>();
  for await (const { signature, version, config } of client.subscribe('transactions', {
    resumeSlot: before,
  })) {
    streamed.set(signature, { version, config });
    if (sent.every((each) => streamed.has(each))) break;
  }
  expect(sent.map((signature) => streamed.get(signature))).toEqual(expected);

  const ofBlocks = new Map<string, unknown>();
  for await (const { signatures, formats } of client.subscribe('blocks', { resumeSlot: before })) {
    for (const [index, signature] of signatures.entries()) ofBlocks.set(signature, formats[index]);
    if (sent.every((each) => ofBlocks.has(each))) break;
  }
  expect(sent.map((signature) => ofBlocks.get(signature))).toEqual(expected);
});
