import { ComputeBudgetProgram, Keypair, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { build, fundedWallet, MEMO_PROGRAM, memo, signed, SOL, transfer } from '../transactions.ts';
import { newCheatLedger } from './new-cheat-ledger.ts';

const SYSTEM = SystemProgram.programId.toBase58();

test('each instruction is told with what it changes and takes, and nothing lands', async () => {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const target = Keypair.generate().publicKey;
  const [payer, to] = [wallet.publicKey.toBase58(), target.toBase58()];
  const instructions = [
    transfer(wallet, target, SOL),
    ComputeBudgetProgram.setComputeUnitLimit({ units: 50_000 }),
    transfer(wallet, target, SOL),
    memo('hi'),
  ];
  const unsigned = build(test, [wallet], ...instructions);
  for (const signature of unsigned.signatures) signature.signature = null;
  const text = unsigned
    .serialize({ requireAllSignatures: false, verifySignatures: false })
    .toString('base64');
  const { value } = await test.cheat('surfnet_profileTransaction', text, null, { encoding: 'base64' });
  const { slot, transactionProfile: whole, instructionProfiles: each = [], readonlyAccountStates } = value;
  expect(slot).toBe(test.ledger.blocks.openSlot);
  expect(whole).toMatchObject({
    errorMessage: null,
    accountStates: {
      [payer]: { type: 'writable', accountChange: { type: 'update', data: [{ lamports: 10n * SOL }, {}] } },
      [to]: { type: 'writable', accountChange: { type: 'create', data: { lamports: 2n * SOL } } },
      [MEMO_PROGRAM.toBase58()]: { type: 'readonly' },
    },
  });
  expect(Object.keys(readonlyAccountStates)).toContain(SYSTEM);
  const changes = each.map(({ accountStates }) => accountStates[to]?.accountChange);
  expect(changes[0]).toMatchObject({ type: 'create', data: { lamports: SOL } });
  expect(changes[2]).toMatchObject({ type: 'update', data: [{ lamports: SOL }, { lamports: 2n * SOL }] });
  expect([changes[1], changes[3]]).toEqual([undefined, undefined]);
  expect(each.reduce((sum, { computeUnitsConsumed }) => sum + BigInt(computeUnitsConsumed), 0n)).toBe(
    whole.computeUnitsConsumed,
  );
  expect(each.flatMap(({ logMessages }) => logMessages)).toEqual(whole.logMessages);
  expect(each[0]?.logMessages).toEqual([`Program ${SYSTEM} invoke [1]`, `Program ${SYSTEM} success`]);
  expect((await test.call('getBalance', payer, { commitment: 'processed' })).value).toBe(10n * SOL);
});

test('a failure ends the profiles, and is told in words', async () => {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const target = Keypair.generate().publicKey;
  const text = signed(test, [wallet], memo('a'), transfer(wallet, target, 20n * SOL), memo('b'));
  const { value } = await test.cheat('surfnet_profileTransaction', text);
  const errorMessage = 'Error processing Instruction 1: custom program error: 0x1';
  expect(value.transactionProfile.errorMessage).toBe(errorMessage);
  expect(value.instructionProfiles?.map((profile) => profile.errorMessage)).toEqual([null, errorMessage]);
  const [, failed] = value.instructionProfiles ?? [];
  expect(failed?.accountStates[target.toBase58()]).toEqual({
    type: 'writable',
    accountChange: { type: 'unchanged', data: null },
  });
  const short = await test.cheat('surfnet_profileTransaction', text, null, { depth: 'transaction' });
  expect(short.value.instructionProfiles).toBeUndefined();
});

test('what cannot be profiled is refused by name', async () => {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const text = signed(test, [wallet], memo('a'));
  expect(await test.cheatRefusal('surfnet_profileTransaction', text, 'tag')).toMatch(/a tag has no use/);
  expect(await test.cheatRefusal('surfnet_profileTransaction', 'AQ==')).toMatch(/deserialize/);
});
