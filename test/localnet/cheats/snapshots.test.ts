import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { MEMO_V3_PROGRAM } from '../../../src/localnet/addresses/program-ids.ts';
import { everything } from '../disk/kept-ledger.ts';
import { serveLedger } from '../subscriptions/serve-ledger.ts';
import { fundedWallet, landed, memo, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

const PROCESSED = { commitment: 'processed' } as const;
const newAddress = (): string => Keypair.generate().publicKey.toBase58();

/** All that a client can read, that of the open slot included. */
async function seen(test: CheatLedger, addresses: readonly string[]): Promise<readonly string[]> {
  const { call, ledger } = test;
  const { openSlot } = ledger.blocks;
  const open = [
    await call('getMultipleAccounts', addresses, { ...PROCESSED, encoding: 'base64' }),
    await call('getSupply', PROCESSED),
    await call('getTransactionCount', PROCESSED),
    await call('getBlockTime', openSlot),
    await call('getRecentPerformanceSamples'),
    ledger.blocks.openTransactions.map(({ transaction }) => transaction.signatures),
    ledger.runtime.read(addresses[0] ?? ''),
  ];
  const texts = open.map((part) =>
    JSON.stringify(part, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value)),
  );
  return [...texts, ...(await everything(test, addresses))];
}

test('a restored branch answers as it did, and continues with a history and a clock of its own', async () => {
  const test = newCheatLedger({ slotsPerEpoch: 32 });
  const { call, cheat, ledger, tick } = test;
  const wallet = await fundedWallet(test);
  tick(40);
  const [target, address] = [new PublicKey(newAddress()), wallet.publicKey.toBase58()];
  const first = await sendNow(test, signed(test, [wallet], transfer(wallet, target, SOL)));
  const before = await seen(test, [address, target.toBase58()]);
  const snapshot = await cheat('localnet_snapshot', 'before');
  expect(snapshot).toEqual({
    name: 'before',
    slot: ledger.blocks.openSlot,
    timestamp: ledger.blocks.time(ledger.blocks.openSlot),
  });
  tick(3);
  const text = signed(test, [wallet], memo('later'));
  const second = await sendNow(test, text);
  await cheat('localnet_warp', { slot: 20_000n });
  await cheat('localnet_setAccount', target.toBase58(), { lamports: 0 });
  const abandoned = ledger.blocks.blockhash(snapshot.slot);
  expect(await cheat('localnet_restore', 'before')).toMatchObject({
    slot: snapshot.slot,
    timestamp: snapshot.timestamp,
  });
  expect(await seen(test, [address, target.toBase58()])).toEqual(before);
  expect(await call('getSignatureStatuses', [first, second])).toMatchObject({
    value: [{ slot: snapshot.slot }, null],
  });
  tick();
  expect(ledger.blocks.blockhash(snapshot.slot)).not.toBe(abandoned);
  expect(
    (await test.refusal('sendTransaction', text, { encoding: 'base64', preflightCommitment: 'processed' }))
      .message,
  ).toMatch(/Blockhash not found/);
  const again = await sendNow(test, signed(test, [wallet], memo('later')));
  expect(await landed(test, again)).toMatchObject({ err: null });
});

test('branches of one snapshot stand side by side, each as it was left', async () => {
  const test = newCheatLedger();
  const { cheat, tick } = test;
  const addresses = [newAddress(), newAddress()];
  const grow = async (lamports: bigint, slots: number) => {
    await test.call('requestAirdrop', addresses[0] ?? '', lamports);
    await cheat('localnet_setAccount', addresses[1] ?? '', { lamports });
    tick(slots);
    return await seen(test, addresses);
  };
  const states: Record<string, readonly string[]> = { root: await grow(SOL, 2) };
  const take = (name: string) => cheat('localnet_snapshot', name);
  await take('root');
  states.left = await grow(2n * SOL, 5);
  await take('left');
  await cheat('localnet_restore', 'root');
  states.right = await grow(3n * SOL, 50);
  await take('right');
  states.leaf = await grow(4n * SOL, 1);
  await take('leaf');
  for (const name of ['left', 'leaf', 'root', 'right', 'right', 'leaf', 'left', 'root']) {
    await cheat('localnet_restore', name);
    expect(await seen(test, addresses)).toEqual(states[name]);
    await grow(9n * SOL, 3);
  }
  expect((await cheat('localnet_listSnapshots')).map(({ name }) => name)).toEqual([
    'root',
    'left',
    'right',
    'leaf',
  ]);
  for (const name of ['root', 'right']) expect(await cheat('localnet_deleteSnapshot', name)).toBe(true);
  expect(await cheat('localnet_deleteSnapshot', 'root')).toBe(false);
  for (const name of ['leaf', 'left']) {
    await cheat('localnet_restore', name);
    expect(await seen(test, addresses)).toEqual(states[name]);
  }
});

test('a history that has dropped blocks since gets them back', async () => {
  const test = newCheatLedger({ historySlots: 512, votes: true });
  const wallet = await fundedWallet(test);
  const signature = await sendNow(test, signed(test, [wallet], memo('old')));
  test.tick(40);
  await test.cheat('localnet_snapshot', 'before');
  const before = await seen(test, [wallet.publicKey.toBase58()]);
  test.tick(600);
  expect(await test.call('getTransaction', signature)).toBeNull();
  await test.cheat('localnet_restore', 'before');
  expect(await seen(test, [wallet.publicKey.toBase58()])).toEqual(before);
  expect(await test.call('getTransaction', signature)).not.toBeNull();
});

test('subscribers receive the accounts that differ, then the slots, which continue from there', async () => {
  const test = await serveLedger({}, { cheatCodes: true });
  const { ledger, tick } = test;
  const client = await test.connect();
  const [address, other] = [newAddress(), newAddress()];
  for (const each of [address, other]) await client.call('localnet_setAccount', each, { lamports: 1_000 });
  tick(40);
  await client.call('localnet_snapshot', 'before');
  const { openSlot } = ledger.blocks;
  await client.call('localnet_setAccount', address, { lamports: 2_000 });
  tick(40);
  const ids = [
    await client.subscribe('slotSubscribe'),
    await client.subscribe('rootSubscribe'),
    await client.subscribe('accountSubscribe', address, PROCESSED),
    await client.subscribe('accountSubscribe', address),
    await client.subscribe('accountSubscribe', other, PROCESSED),
  ];
  await client.call('localnet_restore', 'before');
  tick();
  const told = [];
  for (const id of ids) told.push(await client.notificationsOf(id));
  const slot = Number(openSlot);
  const [slots, roots, processed, finalized, untouched] = told;
  expect(slots).toEqual([
    { slot, parent: slot - 1, root: slot - 32 },
    { slot: slot + 1, parent: slot, root: slot - 31 },
  ]);
  expect(roots).toEqual([slot - 32, slot - 31]);
  expect(processed).toMatchObject([{ context: { slot }, value: { lamports: 1_000 } }]);
  expect(finalized).toMatchObject([{ context: { slot: slot - 32 }, value: { lamports: 1_000 } }]);
  expect(untouched).toEqual([]);
});

test('programs are what they were: code that came later cannot be called', async () => {
  const test = newCheatLedger();
  const [program, later] = [newAddress(), newAddress()];
  const code = Buffer.from(test.ledger.runtime.read(MEMO_V3_PROGRAM)?.data ?? []).toString('base64');
  const wallet = await fundedWallet(test);
  const call = async (address: string, text: string) => {
    const instruction = new TransactionInstruction({
      programId: new PublicKey(address),
      keys: [],
      data: Buffer.from(text),
    });
    return await landed(test, await sendNow(test, signed(test, [wallet], instruction)));
  };
  await test.cheat('localnet_setProgram', program, code);
  expect(await call(program, 'one')).toMatchObject({ err: null });
  await test.cheat('localnet_snapshot', 'before');
  await test.cheat('localnet_setProgram', later, code);
  await test.cheat('localnet_setAccount', program, { lamports: 0 });
  await test.cheat('localnet_warp', { slot: 100_000n });
  expect(await call(later, 'two')).toMatchObject({ err: null });
  expect(await call(program, 'three')).toMatchObject({ err: 'ProgramAccountNotFound' });
  await test.cheat('localnet_restore', 'before');
  expect(await call(program, 'four')).toMatchObject({ err: null });
  expect(await call(later, 'five')).toMatchObject({ err: 'ProgramAccountNotFound' });
});

test('what was pending is lost', async () => {
  const test = newCheatLedger({ landingDelayMs: 60_000 });
  await test.cheat('localnet_snapshot', 'before');
  const signature = await test.call('requestAirdrop', newAddress(), SOL);
  await test.cheat('localnet_restore', 'before');
  const other = await test.call('requestAirdrop', newAddress(), SOL);
  expect(await test.call('getSignatureStatuses', [signature, other])).toMatchObject({ value: [null, null] });
  test.ledger.incoming.stop();
});

test('what cannot be is refused by name', async () => {
  const test = newCheatLedger();
  expect(await test.cheatRefusal('localnet_restore', 'x')).toBe(
    'Invalid param: there is no snapshot x; there are none',
  );
  await test.cheat('localnet_snapshot', '.x');
  await test.cheat('localnet_snapshot', 'a.b-c_1');
  expect(await test.cheatRefusal('localnet_restore', 'x')).toMatch(/there are .x, a.b-c_1/);
  for (const name of ['', '.', '..', 'a b', 'x'.repeat(65)])
    expect(await test.cheatRefusal('localnet_snapshot', name)).toMatch(/has 1 to 64 letters/);
});
