import { Connection, Keypair, SystemProgram, Transaction } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';

import type { SubscribableNode } from './subscribable-node.ts';
import { CONSENSUS } from './test-ledger.ts';

const SOL = 1_000_000_000;

/** Tests of web3.js v1's subscriptions, at anything that answers as a node. */
export function testWeb3jsSubscriptions(start: () => Promise<SubscribableNode>): void {
  let node: SubscribableNode;
  /** As an application makes it: the address of the node, and nothing about WebSocket. */
  let connection: Connection;

  beforeAll(async () => {
    node = await start();
    connection = new Connection(node.url, 'confirmed');
  });
  afterAll(() => node.stop());

  async function funded(): Promise<Keypair> {
    const keypair = Keypair.generate();
    const signature = await connection.requestAirdrop(keypair.publicKey, 10 * SOL);
    await connection.confirmTransaction({ signature, ...(await connection.getLatestBlockhash()) });
    return keypair;
  }

  async function sendTransfer(from: Keypair, to = Keypair.generate().publicKey): Promise<string> {
    const latest = await connection.getLatestBlockhash();
    const transfer = SystemProgram.transfer({ fromPubkey: from.publicKey, toPubkey: to, lamports: SOL });
    const transaction = new Transaction({ feePayer: from.publicKey, ...latest }).add(transfer);
    transaction.sign(from);
    return connection.sendRawTransaction(transaction.serialize());
  }

  test('confirmTransaction resolves when the transaction is confirmed', async () => {
    const wallet = await funded();
    expect(await connection.getBalance(wallet.publicKey)).toBe(10 * SOL);
    const latest = await connection.getLatestBlockhash();
    const { value } = await connection.confirmTransaction({
      signature: await sendTransfer(wallet),
      ...latest,
    });
    expect(value.err).toBeNull();
  });

  test('onSlotChange tells slots in a row', async () => {
    const slots: number[] = [];
    const id = connection.onSlotChange(({ slot, parent, root }) => {
      expect([parent, root]).toEqual([slot - 1, slot - (CONSENSUS === 'tower' ? 32 : 1)]);
      slots.push(slot);
    });
    await eventually('five slots pass', () => slots[4]);
    await connection.removeSlotChangeListener(id);
    const [first = 0] = slots;
    expect(slots.slice(0, 5)).toEqual([first, first + 1, first + 2, first + 3, first + 4]);
  });

  test('onRootChange tells roots in a row', async () => {
    const roots: number[] = [];
    const id = connection.onRootChange((root) => roots.push(root));
    await eventually('two roots pass', () => roots[1]);
    await connection.removeRootChangeListener(id);
    expect((roots[1] ?? 0) - (roots[0] ?? 0)).toBe(1);
  });

  test('onSlotUpdate tells every step of a slot', async () => {
    const steps: string[] = [];
    const id = connection.onSlotUpdate(({ type }) => steps.push(type));
    await eventually('a slot passes', () => steps[9]);
    await connection.removeSlotUpdateListener(id);
    const from = steps.indexOf('completed');
    const slot = ['completed', 'frozen', 'optimisticConfirmation', 'root', 'createdBank'];
    expect(steps.slice(from, from + 5)).toEqual(slot);
  });

  test('onAccountChange, onProgramAccountChange, onLogs and onSignature tell of a transfer', async () => {
    const wallet = await funded();
    const { publicKey: to } = Keypair.generate();
    const heard = { account: 0, program: 0, logs: '', signature: '' };
    const ids = {
      account: connection.onAccountChange(to, ({ lamports, owner }) => {
        if (owner.equals(SystemProgram.programId)) heard.account = lamports;
      }),
      program: connection.onProgramAccountChange(SystemProgram.programId, ({ accountId, accountInfo }) => {
        if (accountId.equals(to)) heard.program = accountInfo.lamports;
      }),
      logs: connection.onLogs(to, ({ signature, logs }) => {
        heard.logs = `${signature}: ${logs[1]}`;
      }),
    };
    // Its subscriptions are made one after the other; when it hears of a slot after that, they are.
    const subscribed = Promise.withResolvers<void>();
    const slotId = connection.onSlotChange(() => subscribed.resolve());
    await subscribed.promise;
    const signature = await sendTransfer(wallet, to);
    connection.onSignature(signature, ({ err }) => {
      heard.signature = `err ${err}`;
    });
    await eventually('all are told', () =>
      heard.account > 0 && heard.program > 0 && heard.logs !== '' && heard.signature !== ''
        ? true
        : undefined,
    );
    expect(heard).toEqual({
      account: SOL,
      program: SOL,
      logs: `${signature}: Program 11111111111111111111111111111111 success`,
      signature: 'err null',
    });
    await connection.removeAccountChangeListener(ids.account);
    await connection.removeProgramAccountChangeListener(ids.program);
    await connection.removeOnLogsListener(ids.logs);
    await connection.removeSlotChangeListener(slotId);
  });
}
