import {
  createInitializeMint2Instruction,
  createInitializeTransferFeeConfigInstruction,
  createTransferCheckedInstruction,
  ExtensionType,
  getAssociatedTokenAddressSync,
  getMintLen,
  NATIVE_MINT,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

const PROCESSED = { commitment: 'processed' } as const;

/** A mint without any tokens; one of Token-2022 has a transfer fee. */
async function newMint(test: CheatLedger, program: PublicKey): Promise<PublicKey> {
  const wallet = await fundedWallet(test);
  const mint = Keypair.generate();
  const isNew = program.equals(TOKEN_2022_PROGRAM_ID);
  const space = isNew ? getMintLen([ExtensionType.TransferFeeConfig]) : 82;
  const fee = (): TransactionInstruction =>
    createInitializeTransferFeeConfigInstruction(mint.publicKey, null, null, 100, 10n, program);
  const create = SystemProgram.createAccount({
    fromPubkey: wallet.publicKey,
    newAccountPubkey: mint.publicKey,
    lamports: 5_000_000,
    space,
    programId: program,
  });
  const initialize = createInitializeMint2Instruction(mint.publicKey, 2, wallet.publicKey, null, program);
  const text = signed(test, [wallet, mint], create, ...(isNew ? [fee()] : []), initialize);
  expect(await landed(test, await sendNow(test, text))).toMatchObject({ err: null });
  return mint.publicKey;
}

test.each([
  ['SPL Token', TOKEN_PROGRAM_ID],
  ['Token-2022', TOKEN_2022_PROGRAM_ID],
])(
  'a balance of %s is set, in an account that the program made, and can be spent',
  async (_name, program) => {
    const test = newCheatLedger();
    const mint = await newMint(test, program);
    const [owner, other] = [await fundedWallet(test), Keypair.generate().publicKey];
    const held = (who: PublicKey, amount: number) =>
      test.cheat('localnet_setTokenAccount', who.toBase58(), mint.toBase58(), { amount });
    const account = await held(owner.publicKey, 500);
    expect(account).toBe(getAssociatedTokenAddressSync(mint, owner.publicKey, false, program).toBase58());
    const target = await held(other, 0);
    await held(owner.publicKey, 300);
    expect((await test.call('getTokenSupply', mint.toBase58(), PROCESSED)).value.amount).toBe('300');
    const [from, to] = [new PublicKey(account), new PublicKey(target)];
    const move = createTransferCheckedInstruction(from, mint, to, owner.publicKey, 100n, 2, [], program);
    expect(await landed(test, await sendNow(test, signed(test, [owner], move)))).toMatchObject({ err: null });
    expect((await test.call('getTokenAccountBalance', account, PROCESSED)).value.amount).toBe('200');
    const found = await test.call(
      'getTokenAccountsByOwner',
      owner.publicKey.toBase58(),
      { mint: mint.toBase58() },
      { ...PROCESSED, encoding: 'base64' },
    );
    expect(found.value.map(({ pubkey }) => pubkey)).toEqual([account]);
  },
);

test('delegate, state and close authority are set and taken away', async () => {
  const test = newCheatLedger();
  const mint = (await newMint(test, TOKEN_PROGRAM_ID)).toBase58();
  const [owner, delegate] = [
    Keypair.generate().publicKey.toBase58(),
    Keypair.generate().publicKey.toBase58(),
  ];
  const info = async (account: string) => {
    const { value } = await test.call('getAccountInfo', account, { ...PROCESSED, encoding: 'jsonParsed' });
    return (value as unknown as { data: { parsed: { info: unknown } } }).data.parsed.info;
  };
  const account = await test.cheat('localnet_setTokenAccount', owner, mint, {
    amount: 100,
    delegate,
    delegatedAmount: 40,
    state: 'frozen',
    closeAuthority: delegate,
  });
  const delegated = {
    delegate,
    delegatedAmount: { amount: '40' },
    state: 'frozen',
    closeAuthority: delegate,
  };
  expect(await info(account)).toMatchObject(delegated);
  await test.cheat('localnet_setTokenAccount', owner, mint, { delegate: 'none', closeAuthority: 'none' });
  expect(await info(account)).not.toHaveProperty('delegate');
  expect(await info(account)).not.toHaveProperty('closeAuthority');
  expect(await info(account)).toMatchObject({ state: 'frozen', tokenAmount: { amount: '100' } });
});

test('wrapped lamports are there, and count in no supply', async () => {
  const test = newCheatLedger();
  const owner = Keypair.generate().publicKey.toBase58();
  const mint = NATIVE_MINT.toBase58();
  const account = await test.cheat('localnet_setTokenAccount', owner, mint, { amount: 1_000_000n });
  const { value } = await test.call('getTokenAccountBalance', account, PROCESSED);
  expect(value.amount).toBe('1000000');
  const rent = test.ledger.runtime.rentExemption(165n);
  expect((await test.call('getBalance', account, PROCESSED)).value).toBe(rent + 1_000_000n);
  expect((await test.call('getTokenSupply', mint, PROCESSED)).value.amount).toBe('0');
});

test('supply and authorities of a mint are set', async () => {
  const test = newCheatLedger();
  const mint = (await newMint(test, TOKEN_2022_PROGRAM_ID)).toBase58();
  const authority = Keypair.generate().publicKey.toBase58();
  await test.cheat('localnet_setMint', mint, {
    supply: 7n,
    freezeAuthority: authority,
    mintAuthority: 'none',
  });
  const { value } = await test.call('getAccountInfo', mint, { ...PROCESSED, encoding: 'jsonParsed' });
  expect(value?.data).toMatchObject({
    parsed: { info: { supply: '7', freezeAuthority: authority, mintAuthority: null } },
  });
});

test('what cannot be is refused by name', async () => {
  const test = newCheatLedger();
  const owner = Keypair.generate().publicKey.toBase58();
  expect(await test.cheatRefusal('localnet_setTokenAccount', owner, owner, { amount: 1 })).toMatch(
    /could not find mint/,
  );
  const mint = (await newMint(test, TOKEN_PROGRAM_ID)).toBase58();
  await test.cheat('localnet_setTokenAccount', owner, mint, { amount: 2n ** 64n - 1n });
  const other = Keypair.generate().publicKey.toBase58();
  expect(await test.cheatRefusal('localnet_setTokenAccount', other, mint, { amount: 1 })).toMatch(
    /the supply of \w+ would be 18446744073709551616; it is from 0 to 18446744073709551615/,
  );
  expect(await test.cheatRefusal('localnet_setTokenAccount', owner, mint, { amount: -1 })).toMatch(
    /expected u64/,
  );
});
