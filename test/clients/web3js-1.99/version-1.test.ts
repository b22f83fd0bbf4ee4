import { generateKeyPairSigner, getBase64EncodedWireTransaction } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { Connection, MessageV1, PublicKey, type VersionedMessage, VersionedTransaction } from 'web3js-1.99';
import { FEE, fundedSigner, type Landed, land, openKit, SOL, transfer } from '../kit/version-1.ts';
import { TARGETS } from '../targets.ts';

const READS_1 = { maxSupportedTransactionVersion: 1 } as const;
const LIMITS = { priorityFeeLamports: 1_000n, heapSize: 65_536 };

/** The members of a message, with bytes of one class. */
function membersOf({ compiledInstructions, ...members }: VersionedMessage) {
  const instructions = compiledInstructions.map((each) => ({ ...each, data: Buffer.from(each.data) }));
  return { ...members, instructions };
}

describe.each(TARGETS)('web3.js 1.99 at %s', (_, target) => {
  let connection: Connection;
  let sent: Landed;
  let recipient: string;
  let payer: string;

  beforeAll(async () => {
    connection = new Connection(target.rpcUrl, { commitment: 'confirmed', wsEndpoint: target.wsUrl });
    const clients = openKit(target);
    const [signer, to] = [await fundedSigner(clients), await generateKeyPairSigner()];
    [payer, recipient] = [signer.address, to.address];
    sent = await land(clients, signer, [transfer(signer, to.address, SOL)], LIMITS);
  });

  /** The limits of the transfer as this client has them. */
  const limits = () => ({
    priorityFee: 1_000,
    computeUnitLimit: sent.message.config?.computeUnitLimit,
    loadedAccountsDataSizeLimit: sent.message.config?.loadedAccountsDataSizeLimit,
    heapSize: 65_536,
  });

  test('getTransaction reads version 1, and has the message that was signed', async () => {
    const found = await connection.getTransaction(sent.signature, READS_1);
    expect(found).toMatchObject({ version: 1, slot: Number(sent.slot), meta: { fee: Number(FEE) + 1_000 } });
    const message = found?.transaction.message;
    if (!(message instanceof MessageV1)) throw new Error('no message of version 1');
    expect(message.transactionConfig).toEqual(limits());
    expect(message.staticAccountKeys.slice(0, 2).map(String)).toEqual([payer, recipient]);
    const wire = Buffer.from(getBase64EncodedWireTransaction(sent.transaction), 'base64');
    const signed = VersionedTransaction.deserialize(wire).message;
    expect(membersOf(message)).toEqual(membersOf(signed));
  });

  test('getTransactions reads a batch of the history of its payer, which an airdrop began', async () => {
    const history = await connection.getSignaturesForAddress(new PublicKey(payer));
    const signatures = history.map(({ signature }) => signature);
    const found = await connection.getTransactions(signatures, READS_1);
    expect(found.map((each) => each?.version)).toEqual([1, 'legacy']);
    expect(found.map((each) => each?.transaction.signatures[0])).toEqual(signatures);
  });

  test('getParsedTransaction and getParsedTransactions show what it did, and its limits', async () => {
    const one = await connection.getParsedTransaction(sent.signature, READS_1);
    const [same] = await connection.getParsedTransactions([sent.signature], READS_1);
    expect(same).toEqual(one);
    expect(one?.version).toBe(1);
    expect(one?.transaction.message.transactionConfig).toEqual(limits());
    expect(one?.transaction.message.instructions).toMatchObject([
      {
        program: 'system',
        parsed: { type: 'transfer', info: { destination: recipient, lamports: Number(SOL) } },
      },
    ]);
  });

  test('getBlock and getParsedBlock read a block that has one', async () => {
    const slot = Number(sent.slot);
    const block = await connection.getBlock(slot, READS_1);
    const found = block?.transactions.find(({ transaction }) =>
      transaction.signatures.includes(sent.signature),
    );
    expect(found?.version).toBe(1);
    expect(found?.transaction.message).toMatchObject({ transactionConfig: limits() });
    const parsed = await connection.getParsedBlock(slot, READS_1);
    expect(parsed.transactions).toContainEqual(expect.objectContaining({ version: 1 }));
  });
});
