import { Connection, PublicKey } from '@solana/web3.js';
import { generateKeyPairSigner, getBase64EncodedWireTransaction, type KeyPairSigner } from '@solana/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import {
  type Clients,
  fundedSigner,
  type Landed,
  land,
  messageOf,
  openKit,
  sign,
  SOL,
  transfer,
} from '../kit/version-1.ts';
import { TARGETS } from '../targets.ts';

const REFUSED = /Transaction version \(1\) is not supported by the requesting client/;
/** The answer of a node to a client that cannot read version 1; a fault of the client's own reading has no code. */
const refusal = { name: 'SolanaJSONRPCError', code: -32015, message: expect.stringMatching(REFUSED) };
const READS_0 = { maxSupportedTransactionVersion: 0 } as const;

/** The way web3.js itself sends a batch. */
type Batches = {
  _rpcBatchRequest(
    calls: readonly { readonly methodName: string; readonly args: readonly unknown[] }[],
  ): Promise<readonly { readonly result?: unknown; readonly error?: unknown }[]>;
};

describe.each(TARGETS)('web3.js 1.98, which cannot read version 1, at %s', (_, target) => {
  let connection: Connection;
  let clients: Clients;
  let payer: KeyPairSigner;
  let sent: Landed;

  beforeAll(async () => {
    connection = new Connection(target.rpcUrl, { commitment: 'confirmed', wsEndpoint: target.wsUrl });
    clients = openKit(target);
    payer = await fundedSigner(clients);
    sent = await land(clients, payer, [transfer(payer, (await generateKeyPairSigner()).address, SOL)]);
  });

  test('a read of the transaction or of its block is refused as by a node', async () => {
    const { signature } = sent;
    const slot = Number(sent.slot);
    const reads = [
      connection.getTransaction(signature),
      connection.getTransaction(signature, READS_0),
      connection.getParsedTransaction(signature),
      connection.getParsedTransaction(signature, READS_0),
      connection.getBlock(slot, READS_0),
      connection.getBlock(slot, { ...READS_0, transactionDetails: 'accounts' }),
      connection.getParsedBlock(slot, READS_0),
    ];
    await Promise.all(reads.map((read) => expect(read).rejects.toMatchObject(refusal)));
    // Other suites send transactions of version 0 to the same server, perhaps into the same block.
    const either = {
      ...refusal,
      message: expect.stringMatching(/Transaction version \([01]\) is not supported/),
    };
    await expect(connection.getBlock(slot)).rejects.toMatchObject(either);
  });

  test('in a batch it alone is refused', async () => {
    const [airdrop] = await connection.getSignaturesForAddress(new PublicKey(payer.address), {
      before: sent.signature,
    });
    const readable = airdrop?.signature ?? '';
    const signatures = [readable, sent.signature, readable];
    await expect(connection.getTransactions(signatures, READS_0)).rejects.toMatchObject(refusal);
    await expect(connection.getParsedTransactions(signatures, READS_0)).rejects.toMatchObject(refusal);
    const calls = signatures.map((signature) => ({
      methodName: 'getTransaction',
      args: [signature, { ...READS_0, commitment: 'confirmed' }],
    }));
    const [first, refused, last] = await (connection as unknown as Batches)._rpcBatchRequest(calls);
    expect(refused).toMatchObject({ error: { code: -32015, message: expect.stringMatching(REFUSED) } });
    for (const reply of [first, last])
      expect(reply).toMatchObject({ result: { transaction: { signatures: [readable] } } });
    expect(await connection.getTransactions([readable, readable], READS_0)).toHaveLength(2);
  });

  test('what shows no message of it is read: signatures, statuses, blocks without details', async () => {
    const { signature } = sent;
    const slot = Number(sent.slot);
    const { value } = await connection.getSignatureStatuses([signature]);
    expect(value[0]).toMatchObject({ slot, err: null });
    const history = await connection.getSignaturesForAddress(new PublicKey(payer.address));
    expect(history[0]).toMatchObject({ signature, slot, err: null });
    expect((await connection.getBlockSignatures(slot, 'confirmed')).signatures).toContain(signature);
    const block = await connection.getBlock(slot, { ...READS_0, transactionDetails: 'none' });
    expect(block?.parentSlot).toBe(slot - 1);
  });

  test('onLogs, onSignature and confirmTransaction tell of it', async () => {
    const { address } = await generateKeyPairSigner();
    const heard = { logs: '', signature: '' };
    const logsId = connection.onLogs(new PublicKey(address), ({ signature, err }) => {
      heard.logs = `${signature} ${err}`;
    });
    // Its subscriptions are made one after the other; when it hears of a slot after that, they are.
    const subscribed = Promise.withResolvers<void>();
    const slotId = connection.onSlotChange(() => subscribed.resolve());
    await subscribed.promise;
    const limits = sent.message.config;
    const transaction = await sign(await messageOf(clients, payer, [transfer(payer, address, SOL)], limits));
    const latest = await connection.getLatestBlockhash();
    const wire = Buffer.from(getBase64EncodedWireTransaction(transaction), 'base64');
    const signature = await connection.sendRawTransaction(wire);
    connection.onSignature(signature, ({ err }) => {
      heard.signature = `err ${err}`;
    });
    expect((await connection.confirmTransaction({ signature, ...latest })).value.err).toBeNull();
    await eventually('both are told', () => (heard.logs !== '' && heard.signature !== '' ? true : undefined));
    expect(heard).toEqual({ logs: `${signature} null`, signature: 'err null' });
    await connection.removeOnLogsListener(logsId);
    await connection.removeSlotChangeListener(slotId);
  });
});
