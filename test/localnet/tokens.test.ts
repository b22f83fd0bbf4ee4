import {
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createInitializeAccount3Instruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  createTransferCheckedInstruction,
  getAssociatedTokenAddressSync,
  TOKEN_2022_PROGRAM_ID,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, sendNow, signed } from './transactions.ts';

const DECIMALS = 6;
const CONFIRMED = { commitment: 'confirmed' } as const;
const PARSED = { ...CONFIRMED, encoding: 'jsonParsed' } as const;

type TokenSetup = {
  readonly test: TestLedger;
  readonly wallet: Keypair;
  readonly mint: PublicKey;
  readonly account: PublicKey;
};

/** A mint of 5 tokens, all in the wallet's associated account. */
async function withToken(program: PublicKey): Promise<TokenSetup> {
  const test = newLedger();
  const wallet = await fundedWallet(test);
  const mint = Keypair.generate();
  const account = getAssociatedTokenAddressSync(mint.publicKey, wallet.publicKey, false, program);
  const create = SystemProgram.createAccount({
    fromPubkey: wallet.publicKey,
    newAccountPubkey: mint.publicKey,
    lamports: 1_066_800,
    space: 82,
    programId: program,
  });
  const initialize = createInitializeMint2Instruction(
    mint.publicKey,
    DECIMALS,
    wallet.publicKey,
    null,
    program,
  );
  const open = createAssociatedTokenAccountInstruction(
    wallet.publicKey,
    account,
    wallet.publicKey,
    mint.publicKey,
    program,
  );
  const mintTo = createMintToInstruction(mint.publicKey, account, wallet.publicKey, 5_000_000n, [], program);
  for (const text of [
    signed(test, [wallet, mint], create, initialize),
    signed(test, [wallet], open),
    signed(test, [wallet], mintTo),
  ]) {
    expect(await landed(test, await sendNow(test, text))).toMatchObject({ err: null });
  }
  return { test, wallet, mint: mint.publicKey, account };
}

describe.each([
  ['spl-token', TOKEN_PROGRAM_ID],
  ['spl-token-2022', TOKEN_2022_PROGRAM_ID],
])('%s', (programName, program) => {
  test('a transaction records token balances before and after', async () => {
    const { test, wallet, mint, account } = await withToken(program);
    const other = Keypair.generate().publicKey;
    const target = getAssociatedTokenAddressSync(mint, other, false, program);
    const open = createAssociatedTokenAccountInstruction(wallet.publicKey, target, other, mint, program);
    const send = createTransferCheckedInstruction(
      account,
      mint,
      target,
      wallet.publicKey,
      1_500_000n,
      DECIMALS,
      [],
      program,
    );
    const signature = await sendNow(test, signed(test, [wallet], open, send));
    const keys = test.ledger.blocks.index.find(signature)?.transaction.message.staticKeys ?? [];
    const meta = await landed(test, signature);
    const balance = (address: PublicKey, owner: PublicKey, amount: string, uiAmountString: string) => ({
      accountIndex: keys.indexOf(address.toBase58()),
      mint: mint.toBase58(),
      owner: owner.toBase58(),
      programId: program.toBase58(),
      uiTokenAmount: { amount, decimals: DECIMALS, uiAmount: Number(uiAmountString), uiAmountString },
    });
    expect(meta?.preTokenBalances).toEqual([balance(account, wallet.publicKey, '5000000', '5')]);
    const post = [
      balance(account, wallet.publicKey, '3500000', '3.5'),
      balance(target, other, '1500000', '1.5'),
    ];
    expect(meta?.postTokenBalances).toEqual(expect.arrayContaining(post));
    expect(meta?.postTokenBalances).toHaveLength(2);
    expect(meta?.innerInstructions).toMatchObject([
      { index: 0, instructions: expect.arrayContaining([expect.objectContaining({ stackHeight: 2 })]) },
    ]);
  });

  test('supply, balance and largest holders', async () => {
    const { test, mint, account } = await withToken(program);
    test.tick();
    const amount = { amount: '5000000', decimals: DECIMALS, uiAmount: 5, uiAmountString: '5' };
    expect((await test.call('getTokenSupply', mint.toBase58(), CONFIRMED)).value).toEqual(amount);
    expect((await test.call('getTokenAccountBalance', account.toBase58(), CONFIRMED)).value).toEqual(amount);
    const largest = await test.call('getTokenLargestAccounts', mint.toBase58(), CONFIRMED);
    expect(largest.value).toEqual([{ address: account.toBase58(), ...amount }]);
  });

  test('accounts are found by owner and by delegate, of a mint or of the program', async () => {
    const { test, wallet, mint, account } = await withToken(program);
    const delegate = Keypair.generate().publicKey;
    const owner = wallet.publicKey.toBase58();
    const approve = createApproveInstruction(account, delegate, wallet.publicKey, 7n, [], program);
    await sendNow(test, signed(test, [wallet], approve));
    test.tick();
    const found = [{ pubkey: account.toBase58(), account: { data: { program: programName } } }];
    expect(
      (await test.call('getTokenAccountsByOwner', owner, { mint: mint.toBase58() }, PARSED)).value,
    ).toMatchObject(found);
    expect(
      (await test.call('getTokenAccountsByOwner', owner, { programId: program.toBase58() }, PARSED)).value,
    ).toMatchObject(found);
    const byDelegate = await test.call(
      'getTokenAccountsByDelegate',
      delegate.toBase58(),
      { mint: mint.toBase58() },
      PARSED,
    );
    expect(byDelegate.value).toMatchObject(found);
    expect(
      (await test.call('getTokenAccountsByDelegate', owner, { mint: mint.toBase58() }, PARSED)).value,
    ).toEqual([]);
  });

  test('the default encoding is base-58, which cannot hold a token account', async () => {
    const { test, wallet, mint } = await withToken(program);
    test.tick();
    const error = await test.refusal(
      'getTokenAccountsByOwner',
      wallet.publicKey.toBase58(),
      { mint: mint.toBase58() },
      CONFIRMED,
    );
    expect(error.code).toBe('base58DataTooLarge');
  });
});

test('what is no token account, no mint or no token program is named', async () => {
  const { test, wallet, mint, account } = await withToken(TOKEN_PROGRAM_ID);
  test.tick();
  const [nobody, someone] = [Keypair.generate().publicKey.toBase58(), wallet.publicKey.toBase58()];
  const message = async (...call: Parameters<TestLedger['refusal']>) => (await test.refusal(...call)).message;
  expect(await message('getTokenAccountBalance', nobody, CONFIRMED)).toBe(
    'Invalid param: could not find account',
  );
  expect(await message('getTokenAccountBalance', someone, CONFIRMED)).toBe(
    'Invalid param: not a Token account',
  );
  expect(await message('getTokenAccountBalance', mint.toBase58(), CONFIRMED)).toBe(
    'Invalid param: not a Token account',
  );
  expect(await message('getTokenSupply', nobody, CONFIRMED)).toBe('Invalid param: could not find account');
  expect(await message('getTokenSupply', someone, CONFIRMED)).toBe('Invalid param: not a Token mint');
  expect(await message('getTokenSupply', account.toBase58(), CONFIRMED)).toBe(
    'Invalid param: mint could not be unpacked',
  );
  expect(await message('getTokenLargestAccounts', nobody, CONFIRMED)).toBe(
    'Invalid param: could not find mint',
  );
  expect(await message('getTokenLargestAccounts', account.toBase58(), CONFIRMED)).toBe(
    'Invalid param: Token mint could not be unpacked',
  );
  expect(await message('getTokenAccountsByOwner', someone, { mint: someone }, CONFIRMED)).toBe(
    'Invalid param: Token mint could not be unpacked',
  );
  expect(await message('getTokenAccountsByOwner', someone, { mint: nobody }, CONFIRMED)).toBe(
    'Invalid param: could not find mint',
  );
  const other = { programId: nobody };
  expect(await message('getTokenAccountsByOwner', someone, other, CONFIRMED)).toBe(
    'Invalid param: unrecognized Token program id',
  );
});

test('an owner’s token accounts come in the order of their addresses, like those of a program', async () => {
  const { test, wallet, mint } = await withToken(TOKEN_PROGRAM_ID);
  const others = Array.from({ length: 12 }, () => Keypair.generate());
  for (const other of others) {
    const create = SystemProgram.createAccount({
      fromPubkey: wallet.publicKey,
      newAccountPubkey: other.publicKey,
      lamports: 1_488_440,
      space: 165,
      programId: TOKEN_PROGRAM_ID,
    });
    const initialize = createInitializeAccount3Instruction(other.publicKey, mint, wallet.publicKey);
    await sendNow(test, signed(test, [wallet, other], create, initialize));
  }
  const query = { encoding: 'base64', commitment: 'processed' } as const;
  const { value } = await test.call(
    'getTokenAccountsByOwner',
    wallet.publicKey.toBase58(),
    { mint: mint.toBase58() },
    query,
  );
  const addresses = value.map(({ pubkey }) => Buffer.from(new PublicKey(pubkey).toBytes()));
  expect(addresses).toHaveLength(13);
  expect(addresses).toEqual(addresses.toSorted(Buffer.compare));
});

test('token accounts whose mint is gone are left out where they would be parsed', async () => {
  const { test, wallet, mint } = await withToken(TOKEN_2022_PROGRAM_ID);
  test.ledger.accounts.write(mint.toBase58(), undefined, test.ledger.blocks.openSlot);
  const program = { programId: TOKEN_2022_PROGRAM_ID.toBase58() };
  const count = async (encoding: 'base64' | 'jsonParsed') =>
    (
      await test.call('getTokenAccountsByOwner', wallet.publicKey.toBase58(), program, {
        encoding,
        commitment: 'processed',
      })
    ).value.length;
  expect([await count('base64'), await count('jsonParsed')]).toEqual([1, 0]);
});
