import {
  type Address,
  compileTransaction,
  compileTransactionMessage,
  decodeTransactionFromRpcResponse,
  decompileTransactionMessage,
  generateKeyPairSigner,
  getBase58Decoder,
  getBase64Decoder,
  getBase64EncodedWireTransaction,
  getTransactionMessageSize,
  getTransactionSize,
  getTransactionSizeLimit,
  type KeyPairSigner,
  type TransactionMessageBytesBase64,
} from '@solana/kit';
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system';
import { beforeAll, describe, expect, test } from 'vitest';
import { TARGETS } from '../targets.ts';
import {
  type Clients,
  FEE,
  fundedSigner,
  type Landed,
  land,
  memoOf,
  messageOf,
  openKit,
  sign,
  SOL,
  transfer,
} from './version-1.ts';

const PRIORITY_FEE = 12_345n;
const HEAP = 65_536;
const OPTIONS = { maxSupportedTransactionVersion: 1 } as const;

describe.each(TARGETS)('version 1 at %s', (_, target) => {
  let clients: Clients;
  let payer: KeyPairSigner;
  let recipient: Address;
  /** A transfer that sets every limit. */
  let sent: Landed;

  beforeAll(async () => {
    clients = openKit(target);
    payer = await fundedSigner(clients);
    recipient = (await generateKeyPairSigner()).address;
    const limits = { priorityFeeLamports: PRIORITY_FEE, heapSize: HEAP };
    sent = await land(clients, payer, [transfer(payer, recipient, SOL)], limits);
  });

  const balanceOf = async (account: Address): Promise<bigint> =>
    (await clients.rpc.getBalance(account).send()).value;

  /** The limits of the transfer as JSON shows them. */
  const shownLimits = () => ({
    priorityFee: PRIORITY_FEE,
    computeUnitLimit: sent.message.config?.computeUnitLimit,
    loadedAccountsDataSizeLimit: sent.message.config?.loadedAccountsDataSizeLimit,
    heapSize: HEAP,
  });

  test('it is estimated, sent and confirmed, and costs its signature and its priority fee', async () => {
    expect(sent.message.config).toEqual({
      priorityFeeLamports: PRIORITY_FEE,
      computeUnitLimit: 150,
      loadedAccountsDataSizeLimit: expect.any(Number),
      heapSize: HEAP,
    });
    expect(await balanceOf(recipient)).toBe(SOL);
    expect(await balanceOf(payer.address)).toBe(9n * SOL - FEE - PRIORITY_FEE);
  });

  test('its simulation and getFeeForMessage foretell its fee', async () => {
    const other = (await generateKeyPairSigner()).address;
    const message = await messageOf(clients, payer, [transfer(payer, other, SOL)], sent.message.config);
    const wire = getBase64EncodedWireTransaction(await sign(message));
    const { value } = await clients.rpc
      .simulateTransaction(wire, { encoding: 'base64', sigVerify: true })
      .send();
    expect(value).toMatchObject({ err: null, fee: FEE + PRIORITY_FEE, unitsConsumed: 150n });
    const { messageBytes } = compileTransaction(message);
    const encoded = getBase64Decoder().decode(messageBytes) as TransactionMessageBytesBase64;
    expect((await clients.rpc.getFeeForMessage(encoded).send()).value).toBe(FEE + PRIORITY_FEE);
  });

  test('json shows its limits, and no lookup tables', async () => {
    const found = await clients.rpc.getTransaction(sent.signature, { ...OPTIONS, encoding: 'json' }).send();
    expect(found).toMatchObject({ version: 1, slot: sent.slot, meta: { fee: FEE + PRIORITY_FEE } });
    const { message } = found?.transaction ?? {};
    expect(message?.accountKeys).toEqual([payer.address, recipient, SYSTEM_PROGRAM_ADDRESS]);
    expect(message?.transactionConfig).toEqual(shownLimits());
    expect(message).not.toHaveProperty('addressTableLookups');
  });

  test('jsonParsed shows what it did, and its limits', async () => {
    const found = await clients.rpc
      .getTransaction(sent.signature, { ...OPTIONS, encoding: 'jsonParsed' })
      .send();
    expect(found?.version).toBe(1);
    expect(found?.transaction.message.instructions).toMatchObject([
      {
        program: 'system',
        parsed: { info: { source: payer.address, destination: recipient, lamports: SOL } },
      },
    ]);
    expect(found?.transaction.message).toMatchObject({ transactionConfig: shownLimits() });
  });

  test('base64 is what was sent: kit decodes it to the same message', async () => {
    const found = await clients.rpc.getTransaction(sent.signature, { ...OPTIONS, encoding: 'base64' }).send();
    if (!found) throw new Error('not found');
    const { transaction, compiledMessage } = decodeTransactionFromRpcResponse(found);
    expect(found.version).toBe(1);
    expect(transaction.messageBytes).toEqual(sent.transaction.messageBytes);
    expect(transaction.signatures).toEqual(sent.transaction.signatures);
    expect(compiledMessage).toEqual(compileTransactionMessage(sent.message));
    expect(decompileTransactionMessage(compiledMessage)).toMatchObject({ config: sent.message.config });
  });

  test('a block shows it in every encoding', async () => {
    const { rpc } = clients;
    const [json, parsed, base64] = await Promise.all([
      rpc.getBlock(sent.slot, { ...OPTIONS, encoding: 'json' }).send(),
      rpc.getBlock(sent.slot, { ...OPTIONS, encoding: 'jsonParsed' }).send(),
      rpc.getBlock(sent.slot, { ...OPTIONS, encoding: 'base64' }).send(),
    ]);
    for (const block of [json, parsed]) {
      const found = block?.transactions.find(({ transaction }) =>
        transaction.signatures.includes(sent.signature),
      );
      expect(found?.version).toBe(1);
      expect(found?.transaction.message).toMatchObject({ transactionConfig: shownLimits() });
    }
    const wire = getBase64EncodedWireTransaction(sent.transaction);
    expect(base64?.transactions).toContainEqual(
      expect.objectContaining({ version: 1, transaction: [wire, 'base64'] }),
    );
  });

  test('it may be 4,096 bytes large', async () => {
    const overhead = getTransactionMessageSize(
      await messageOf(clients, payer, [memoOf(0)], sent.message.config),
    );
    const large = await land(clients, payer, [memoOf(4_096 - overhead)], {
      priorityFeeLamports: 0n,
      heapSize: HEAP,
    });
    expect([getTransactionSize(large.transaction), getTransactionSizeLimit(large.transaction)]).toEqual([
      4_096, 4_096,
    ]);
    const [base64, json] = await Promise.all([
      clients.rpc.getTransaction(large.signature, { ...OPTIONS, encoding: 'base64' }).send(),
      clients.rpc.getTransaction(large.signature, { ...OPTIONS, encoding: 'json' }).send(),
    ]);
    expect(base64?.transaction[0]).toBe(getBase64EncodedWireTransaction(large.transaction));
    const data = large.message.instructions[0]?.data ?? new Uint8Array();
    expect(json?.transaction.message.instructions[0]?.data).toBe(getBase58Decoder().decode(data));
    expect(json?.transaction.message.transactionConfig).toMatchObject({ priorityFee: 0n, heapSize: HEAP });
  });
});
