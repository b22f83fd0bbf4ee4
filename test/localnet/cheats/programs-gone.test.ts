import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { ASSOCIATED_TOKEN_PROGRAM, MEMO_V3_PROGRAM } from '../../../src/localnet/addresses/program-ids.ts';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

// The runtime aborts the process when it is given a call of a program that it does not have: each of these would end the run.

const SIMULATED = { encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true } as const;
const NOT_FOUND = 'ProgramAccountNotFound';
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const UPGRADEABLE_LOADER = 'BPFLoaderUpgradeab1e11111111111111111111111';

const newAddress = (): string => Keypair.generate().publicKey.toBase58();

/** A ledger with a wallet that is funded at every commitment. */
async function withWallet() {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  test.tick(40);
  const calling = (program: string): string =>
    signed(
      test,
      [wallet],
      new TransactionInstruction({ programId: new PublicKey(program), keys: [], data: Buffer.from('hi') }),
    );
  const simulate = async (program: string, commitment: 'processed' | 'confirmed' | 'finalized') => {
    const { value } = await test.call('simulateTransaction', calling(program), { ...SIMULATED, commitment });
    return value.err;
  };
  const send = async (program: string) => {
    const refused = (error: unknown): null => {
      expect(String(error)).toContain('program');
      return null;
    };
    const signature = await sendNow(test, calling(program)).catch(refused);
    return signature === null ? NOT_FOUND : ((await landed(test, signature))?.err ?? null);
  };
  return { ...test, wallet, simulate, send };
}

const codeOf = ({ ledger }: CheatLedger): string =>
  Buffer.from(ledger.runtime.read(MEMO_V3_PROGRAM)?.data ?? []).toString('base64');

/** A program of a test's own, and the account of its code. */
async function newProgram(test: CheatLedger): Promise<{ readonly program: string; readonly code: string }> {
  const program = newAddress();
  await test.cheat('localnet_setProgram', program, codeOf(test));
  const { value } = await test.call('getAccountInfo', program, {
    encoding: 'jsonParsed',
    commitment: 'processed',
  });
  const shown = value as unknown as {
    readonly data: { readonly parsed: { readonly info: { readonly programData: string } } };
  };
  return { program, code: shown.data.parsed.info.programData };
}

test('a program is called at a commitment that has it, and is not there at one that has not', async () => {
  const test = await withWallet();
  const { program } = await newProgram(test);
  expect(await test.simulate(program, 'finalized')).toBe(NOT_FOUND);
  expect(await test.simulate(program, 'processed')).toBeNull();
  test.tick(40);
  await test.cheat('localnet_setAccount', program, { lamports: 0 });
  expect(await test.simulate(program, 'finalized')).toBeNull();
  expect(await test.simulate(program, 'processed')).toBe(NOT_FOUND);
  expect(await test.send(program)).toBe(NOT_FOUND);
});

test('however a program was removed, it is not there', async () => {
  const test = await withWallet();
  await test.cheat('localnet_setAccount', MEMO_V3_PROGRAM, { executable: false });
  await test.cheat('localnet_setAccount', MEMO_V3_PROGRAM, { lamports: 0 });
  expect(await test.send(MEMO_V3_PROGRAM)).toBe(NOT_FOUND);
});

test('a program whose loader was removed cannot be called', async () => {
  const test = await withWallet();
  const { program } = await newProgram(test);
  test.ledger.bank.write(UPGRADEABLE_LOADER, undefined, test.ledger.blocks.openSlot);
  expect(await test.simulate(program, 'processed')).toBe(NOT_FOUND);
});

test('an associated token account needs its program', async () => {
  const test = await withWallet();
  await test.cheat('localnet_setAccount', ASSOCIATED_TOKEN_PROGRAM, { lamports: 0 });
  expect(
    await test.cheatRefusal('localnet_setTokenAccount', newAddress(), WRAPPED_SOL, { amount: 5 }),
  ).toContain(ASSOCIATED_TOKEN_PROGRAM);
});

test('a program whose code was spoilt is not there until its code is back; no balance is lost or made by it', async () => {
  const test = await withWallet();
  const { program, code } = await newProgram(test);
  test.tick();
  const { value } = await test.call('getAccountInfo', code, { encoding: 'base64', commitment: 'processed' });
  const [sound = ''] = (value as unknown as { readonly data: readonly string[] }).data;
  await test.cheat('localnet_setAccount', code, { data: 'AAAA' });
  expect(await test.simulate(program, 'processed')).toBe(NOT_FOUND);
  test.tick();
  await test.cheat('localnet_setAccount', code, { data: sound });
  const payer = test.wallet.publicKey.toBase58();
  await test.cheat('localnet_setAccount', payer, { lamports: 1_000_000_000 });
  expect(await test.simulate(program, 'confirmed')).toBe(NOT_FOUND);
  expect(await test.send(program)).toBeNull();
  expect((await test.call('getBalance', payer, { commitment: 'processed' })).value).toBe(999_995_000n);
});

test('a snapshot with a program that cannot be loaded is restored whole', async () => {
  const test = await withWallet();
  const { program, code } = await newProgram(test);
  await test.cheat('localnet_setAccount', code, { data: 'AAAA' });
  await test.cheat('localnet_snapshot', 'spoilt');
  const other = newAddress();
  await test.cheat('localnet_setAccount', other, { lamports: 5 });
  test.tick(3);
  await test.cheat('localnet_setProgram', program, codeOf(test));
  await test.cheat('localnet_restore', 'spoilt');
  expect(await test.simulate(program, 'processed')).toBe(NOT_FOUND);
  expect((await test.call('getBalance', other, { commitment: 'processed' })).value).toBe(0n);
});
