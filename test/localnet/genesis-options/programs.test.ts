import { join } from 'node:path';
import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newLedger } from '../new-ledger.ts';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { read, write, writeProgram } from './files.ts';

const directory = useNewDirectory();
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const LOADER = new PublicKey('BPFLoaderUpgradeab1e11111111111111111111111');

const codeOf = (program: string): string =>
  PublicKey.findProgramAddressSync([new PublicKey(program).toBytes()], LOADER)[0].toBase58();

test('a program of a file runs, and shows its authority as on a validator', async () => {
  const [fixed, open, authority] = [newAddress(), newAddress(), newAddress()];
  const path = writeProgram(directory());
  const lists = { 'bpf-program': [fixed, path], 'upgradeable-program': [open, path, authority] };
  const test = newLedger({ additions: await read({ lists }) });
  const wallet = await fundedWallet(test);
  for (const programId of [fixed, open]) {
    const call = new TransactionInstruction({
      programId: new PublicKey(programId),
      keys: [],
      data: Buffer.from('hi'),
    });
    const signature = await sendNow(test, signed(test, [wallet], call));
    expect(await landed(test, signature)).toMatchObject({
      err: null,
      logs: expect.arrayContaining([`Program ${programId} success`]),
    });
  }
  for (const [program, shown] of [
    [fixed, '11111111111111111111111111111111'],
    [open, authority],
  ] as const) {
    const { value } = await test.call('getAccountInfo', codeOf(program), { encoding: 'jsonParsed' });
    expect(value?.data).toMatchObject({
      parsed: { type: 'programData', info: { authority: shown, slot: 0n } },
    });
    expect(value?.lamports).toBe(5_080n * (128n + (value?.space ?? 0n)));
    const info = await test.call('getAccountInfo', program, { encoding: 'jsonParsed' });
    expect(info.value).toMatchObject({
      executable: true,
      data: { parsed: { info: { programData: codeOf(program) } } },
    });
  }
});

test('none is no authority', async () => {
  const path = writeProgram(directory());
  const additions = await read({ lists: { 'upgradeable-program': [newAddress(), path, 'none'] } });
  expect(Uint8Array.from(additions.accounts[0]?.account.data.subarray(12, 45) ?? [])).toEqual(
    Uint8Array.of(1, ...new Uint8Array(32)),
  );
});

test('a file that is no program is named', async () => {
  const text = write(directory(), 'a.so', 'no program');
  await expect(read({ lists: { 'bpf-program': [newAddress(), text] } })).rejects.toThrow(
    `localnet: --bpf-program: ${text} is not a program: expected an ELF file`,
  );
  const missing = join(directory(), 'none.so');
  await expect(read({ lists: { 'bpf-program': [newAddress(), missing] } })).rejects.toThrow('(ENOENT)');
});

test('a program that the runtime cannot load is named when the ledger begins', async () => {
  const path = write(directory(), 'broken.so', Buffer.from('7f454c46ffffffff', 'hex'));
  const address = newAddress();
  const additions = await read({ lists: { 'bpf-program': [address, path] } });
  expect(() => newLedger({ additions })).toThrow(
    `localnet: --bpf-program ${path}: the runtime refuses the account ${address}: its program cannot be loaded`,
  );
});
