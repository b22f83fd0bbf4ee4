import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../../src/localnet/addresses/program-ids.ts';
import { ByteWriter } from '../../../src/localnet/bytes/byte-writer.ts';
import { programDataAddress } from '../../../src/localnet/transaction/loaded-size.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newCheatLedger } from '../cheats/new-cheat-ledger.ts';
import { keptLedger } from '../disk/kept-ledger.ts';
import { fundedWallet } from '../transactions.ts';
import { newLedger } from '../new-ledger.ts';
import { newProgram, upgradeableLoader } from './upgradeable-loader.ts';

const directory = useNewDirectory();
const NOT_DEPLOYED = { InstructionError: [0, 'UnsupportedProgramId'] };
/** By the upper half of what a program answers, from 1 on (crate solana-program-error). */
const PROGRAM_ERRORS = [
  ...[
    { Custom: 0 },
    'InvalidArgument',
    'InvalidInstructionData',
    'InvalidAccountData',
    'AccountDataTooSmall',
  ],
  ...['InsufficientFunds', 'IncorrectProgramId', 'MissingRequiredSignature', 'AccountAlreadyInitialized'],
  ...['UninitializedAccount', 'NotEnoughAccountKeys', 'AccountBorrowFailed', 'MaxSeedLengthExceeded'],
  ...['InvalidSeeds', 'BorshIoError', 'AccountNotRentExempt', 'UnsupportedSysvar', 'IllegalOwner'],
  ...['MaxAccountsDataAllocationsExceeded', 'InvalidRealloc', 'MaxInstructionTraceLengthExceeded'],
  ...['BuiltinProgramsMustConsumeComputeUnits', 'InvalidAccountOwner', 'ArithmeticOverflow', 'Immutable'],
  'IncorrectAuthority',
];
/** In whatever order a transaction names the program and its code. */
const ORDERS = [
  ['before', true],
  ['after', false],
] as const;

test.each(ORDERS)(
  'a closed program is refused at once, its address %s that of its code',
  async (_, isFirst) => {
    const { tick, ...ledger } = newLedger();
    const wallet = await fundedWallet({ tick, ...ledger });
    const { deploy, call, close, simulate } = upgradeableLoader({ tick, ...ledger }, wallet);
    const program = newProgram(isFirst);
    expect(await deploy(program, 0)).toBeNull();
    tick(40);
    expect(await call(program)).toBeNull();
    expect(await close(program)).toBeNull();
    expect(await call(program)).toEqual(NOT_DEPLOYED);
    expect(await simulate(program, 'processed')).toEqual(NOT_DEPLOYED);
    expect(await simulate(program, 'finalized')).toBeNull();
    expect(await call(program)).toEqual(NOT_DEPLOYED);
    tick(40);
    expect(await simulate(program, 'finalized')).toEqual(NOT_DEPLOYED);
  },
);

test.each(ORDERS)(
  'a closed program is refused in a call by another program, its address %s that of its code',
  async (_, isFirst) => {
    const ledger = newCheatLedger();
    const wallet = await fundedWallet(ledger);
    const { deploy, close, land } = upgradeableLoader(ledger, wallet);
    const program = newProgram(isFirst);
    expect(await deploy(program, 0)).toBeNull();
    const transfer = await transferWithHook(ledger, wallet, program.key.publicKey);
    ledger.tick();
    expect(await land([], transfer(1n))).toBeNull();
    expect(await close(program)).toBeNull();
    expect(await land([], transfer(2n))).toEqual(NOT_DEPLOYED);
  },
);

test('a program that was removed is refused in a call by another program', async () => {
  const ledger = newCheatLedger();
  const wallet = await fundedWallet(ledger);
  const { deploy, land } = upgradeableLoader(ledger, wallet);
  const program = newProgram(true);
  expect(await deploy(program, 0)).toBeNull();
  const transfer = await transferWithHook(ledger, wallet, program.key.publicKey);
  ledger.tick();
  expect(await land([], transfer(1n))).toBeNull();
  await ledger.cheat('localnet_setAccount', program.key.publicKey.toBase58(), { lamports: 0 });
  expect(await land([], transfer(2n))).toEqual(NOT_DEPLOYED);
});

test('an error that a program answers with has the name that it has on a node', async () => {
  const ledger = newLedger();
  const wallet = await fundedWallet(ledger);
  const { deploy, call, upgrade } = upgradeableLoader(ledger, wallet);
  const program = newProgram(true);
  expect(await deploy(program, 0)).toBeNull();
  for (const [index, name] of PROGRAM_ERRORS.entries()) {
    ledger.tick();
    expect(await upgrade(program, (index + 1) * 2 ** 32)).toBeNull();
    ledger.tick();
    expect(await call(program)).toEqual({ InstructionError: [0, name] });
  }
});

test('a program of a restored state is there in each of its slots', async () => {
  const { ledger, tick, ...rest } = newLedger();
  const wallet = await fundedWallet({ ledger, tick, ...rest });
  const { deploy, call } = upgradeableLoader({ ledger, tick, ...rest }, wallet);
  const program = newProgram(true);
  tick();
  const empty = ledger.take();
  expect(await deploy(program, 0)).toBeNull();
  tick();
  const deployed = ledger.take();
  ledger.goTo(empty);
  tick(5);
  expect(await deploy(program, 1)).toBeNull();
  ledger.goTo(deployed);
  for (let slots = 0; slots < 10; slots++) {
    expect(await call(program)).toBeNull();
    tick();
  }
});

test('a program whose code is gone is refused after a restart too, be it one that every ledger begins with', async () => {
  const folder = directory();
  const ledger = await keptLedger(folder);
  const code = programDataAddress(ledger.ledger.accounts.current(TOKEN_PROGRAM)) ?? '';
  ledger.ledger.bank.write(code, undefined, ledger.ledger.blocks.openSlot);
  ledger.tick();
  await ledger.kill();
  const again = await keptLedger(folder);
  const wallet = await fundedWallet(again);
  const { land } = upgradeableLoader(again, wallet);
  const called = new TransactionInstruction({ programId: new PublicKey(TOKEN_PROGRAM), keys: [] });
  expect(await land([], called)).toEqual(NOT_DEPLOYED);
  await again.kill();
});

/** Makes a mint of Token-2022 whose transfers call a program, and returns the transfer of some of what the wallet has. */
async function transferWithHook(
  ledger: ReturnType<typeof newCheatLedger>,
  wallet: Keypair,
  hook: PublicKey,
): Promise<(amount: bigint) => TransactionInstruction> {
  const [mint, other] = [Keypair.generate().publicKey, Keypair.generate().publicKey];
  const owner = wallet.publicKey.toBytes();
  const data = new ByteWriter(234).u32(1).put(owner).u64(0n).u8(0).u8(1).u32(0).put(new Uint8Array(32));
  data
    .put(new Uint8Array(165 - 82))
    .u8(1)
    .u16(14)
    .u16(64)
    .put(owner)
    .put(hook.toBytes());
  await ledger.cheat('localnet_setAccount', mint.toBase58(), {
    lamports: 10_000_000,
    owner: TOKEN_2022_PROGRAM,
    data: Buffer.from(data.bytes).toString('base64'),
  });
  const accounts = [];
  for (const [holder, amount] of [
    [wallet.publicKey, 1_000],
    [other, 0],
  ] as const) {
    await ledger.cheat('localnet_setTokenAccount', holder.toBase58(), mint.toBase58(), { amount });
    const { value } = await ledger.call(
      'getTokenAccountsByOwner',
      holder.toBase58(),
      { mint: mint.toBase58() },
      { commitment: 'processed', encoding: 'base64' },
    );
    accounts.push(new PublicKey(value[0]?.pubkey ?? ''));
  }
  const [source = mint, target = mint] = accounts;
  const key = (pubkey: PublicKey, isWritable: boolean, isSigner = false) => ({
    pubkey,
    isWritable,
    isSigner,
  });
  const keys = [key(source, true), key(mint, false), key(target, true), key(wallet.publicKey, false, true)];
  return (amount) =>
    new TransactionInstruction({
      programId: new PublicKey(TOKEN_2022_PROGRAM),
      keys: [...keys, key(hook, false)],
      data: Buffer.from(new ByteWriter(10).u8(12).u64(amount).u8(0).bytes),
    });
}
