import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { configProgram } from '../../../src/localnet/programs/config-program.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { createConfig, store } from '../programs/config-store.ts';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { keptLedger, type KeptLedger } from './kept-ledger.ts';

const directory = useNewDirectory();
const LATEST = { encoding: 'base64', commitment: 'processed' } as const;

const programOf = async ({ call, ledger }: KeptLedger) => {
  const addresses = configProgram(ledger.runtime).map(({ address }) => address);
  return (await call('getMultipleAccounts', addresses, LATEST)).value;
};

/** The error of a new account and its first Store; null: none. */
async function storeAnew(test: KeptLedger): Promise<unknown> {
  const wallet = await fundedWallet(test);
  const config = Keypair.generate();
  const instructions = [
    createConfig(wallet, config, 100),
    store(config.publicKey, true, [], Buffer.from('data')),
  ];
  const signature = await sendNow(test, signed(test, [wallet, config], ...instructions));
  return (await landed(test, signature))?.err;
}

/** A ledger on disk as it was begun before there was a config program. */
async function beginEarlier(): Promise<void> {
  const earlier = await keptLedger(directory());
  const { runtime, accounts, blocks } = earlier.ledger;
  for (const { address } of configProgram(runtime).toReversed()) {
    runtime.write(address, undefined);
    accounts.write(address, undefined, blocks.openSlot);
  }
  earlier.tick(3);
  await earlier.kill();
}

test('a ledger that was begun without a config program gets it when it continues, and keeps it', async () => {
  await beginEarlier();
  const second = await keptLedger(directory());
  expect(second.damage).toEqual([]);
  const [code, program] = await programOf(second);
  expect(program).toMatchObject({ executable: true, lamports: 5_080n * (128n + 36n) });
  second.tick();
  expect(await storeAnew(second)).toBeNull();
  second.tick(2);
  await second.kill();
  const third = await keptLedger(directory());
  const { openSlot } = third.ledger.blocks;
  expect(third.ledger.accounts.writtenIn(openSlot)).not.toContain(
    configProgram(third.ledger.runtime)[0]?.address,
  );
  expect(await programOf(third)).toEqual([code, program]);
  expect(await storeAnew(third)).toBeNull();
  await third.kill();
});

test('one that is killed before its first slot is closed gets it again', async () => {
  await beginEarlier();
  await (await keptLedger(directory())).kill();
  const third = await keptLedger(directory());
  third.tick();
  expect(await storeAnew(third)).toBeNull();
  await third.kill();
});

test('another program at that address stays', async () => {
  const first = await keptLedger(directory());
  const [code] = configProgram(first.ledger.runtime);
  if (code === undefined) throw new Error('the program has code');
  const { accounts, blocks } = first.ledger;
  const other = { ...code.account, lamports: code.account.lamports + 1n };
  accounts.write(code.address, other, blocks.openSlot);
  first.tick();
  await first.kill();
  const second = await keptLedger(directory());
  expect((await programOf(second))[0]).toMatchObject({ lamports: other.lamports });
  await second.kill();
});
