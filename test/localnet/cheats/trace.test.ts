import {
  createAssociatedTokenAccountInstruction,
  createBurnInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Ed25519Program, Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import type { TracedCall, TransactionTrace } from '../../../generated/localnet/types.ts';
import { encodeBase58 } from '../../../src/localnet/bytes/base58.ts';
import { fundedWallet, memo, price, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { TOKEN_IDL } from '../../clients/anchor/token-idl.ts';
import { type CheatLedger, newCheatLedger } from './new-cheat-ledger.ts';

const TOKEN = TOKEN_PROGRAM_ID.toBase58();
const RENT_OF_MINT = 2_000_000;

async function scene() {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const mint = Keypair.generate();
  const owned = getAssociatedTokenAddressSync(mint.publicKey, wallet.publicKey);
  const createMint = [
    SystemProgram.createAccount({
      fromPubkey: wallet.publicKey,
      newAccountPubkey: mint.publicKey,
      lamports: RENT_OF_MINT,
      space: MINT_SIZE,
      programId: TOKEN_PROGRAM_ID,
    }),
    createInitializeMint2Instruction(mint.publicKey, 6, wallet.publicKey, null),
  ];
  const open = createAssociatedTokenAccountInstruction(
    wallet.publicKey,
    owned,
    wallet.publicKey,
    mint.publicKey,
  );
  return { test, wallet, mint, owned, createMint, open };
}

async function traceOf({ cheat }: CheatLedger, signature: string): Promise<TransactionTrace> {
  const trace = await cheat('localnet_trace', signature);
  if (trace === null) throw new Error(`no trace of ${signature}`);
  return trace;
}

const names = (calls: readonly TracedCall[]): unknown[] =>
  calls.map(({ path, program, instruction, status, calls: inner }) => [
    ...[path, program, instruction, status],
    ...(inner.length > 0 ? [names(inner)] : []),
  ]);

test('a transaction that landed is a tree of named calls, whose compute units add up', async () => {
  const { test, wallet, mint, createMint, open } = await scene();
  const check = Ed25519Program.createInstructionWithPrivateKey({
    privateKey: wallet.secretKey,
    message: Buffer.from('signed'),
  });
  const text = signed(
    test,
    [wallet, mint],
    price(1),
    check,
    ...createMint,
    open,
    memo('hello', wallet.publicKey),
  );
  const trace = await traceOf(test, await sendNow(test, text));
  expect(names(trace.calls)).toEqual([
    ['0', 'compute-budget', 'setComputeUnitPrice', 'succeeded'],
    ['1', 'ed25519', 'verify', 'succeeded'],
    ['2', 'system', 'createAccount', 'succeeded'],
    ['3', 'spl-token', 'initializeMint2', 'succeeded'],
    [
      ...['4', 'spl-associated-token-account', 'create', 'succeeded'],
      [
        ['4.0', 'spl-token', 'getAccountDataSize', 'succeeded'],
        ['4.1', 'system', 'createAccount', 'succeeded'],
        ['4.2', 'spl-token', 'initializeImmutableOwner', 'succeeded'],
        ['4.3', 'spl-token', 'initializeAccount3', 'succeeded'],
      ],
    ],
    ['5', 'spl-memo', null, 'succeeded'],
  ]);
  expect(trace).toMatchObject({
    kind: 'landed',
    err: null,
    failure: null,
    unattributedComputeUnits: 0n,
    logsCut: false,
    statesKept: true,
  });
  const [, , , , create, written] = trace.calls;
  expect(create?.logs).toEqual(['Create', 'Initialize the associated token account']);
  expect(create?.calls[0]?.returnData).toBe('pQAAAAAAAAA=');
  expect(written).toMatchObject({
    info: 'hello',
    logs: ['Signed by:', wallet.publicKey.toBase58(), 'Memo (len 5)', 'hello'],
  });
  const inner = create?.calls.reduce((sum, { computeUnits }) => sum + BigInt(computeUnits ?? 0), 0n) ?? 0n;
  expect(create?.ownComputeUnits).toBe(BigInt(create?.computeUnits ?? 0) - inner);
  const total = trace.calls.reduce((sum, { computeUnits }) => sum + BigInt(computeUnits ?? 0), 0n);
  expect(total).toBe(trace.computeUnits);
});

test('accounts are shown before and after, with the bytes that changed', async () => {
  const { test, wallet, mint, owned, createMint, open } = await scene();
  await sendNow(test, signed(test, [wallet, mint], ...createMint, open));
  const before = BigInt(
    (await test.call('getBalance', wallet.publicKey.toBase58(), { commitment: 'processed' })).value,
  );
  const text = signed(test, [wallet], createMintToInstruction(mint.publicKey, owned, wallet.publicKey, 258n));
  const { accounts } = await traceOf(test, await sendNow(test, text));
  const byAddress = new Map(accounts.map((each) => [each.address, each]));
  expect(byAddress.get(wallet.publicKey.toBase58())).toMatchObject({
    signer: true,
    writable: true,
    balance: { before, after: before - 5_000n },
    dataChanges: [],
  });
  expect(byAddress.get(owned.toBase58())).toMatchObject({
    signer: false,
    writable: true,
    dataChangesCut: false,
    states: { before: { owner: TOKEN, space: 165n }, after: { owner: TOKEN, space: 165n } },
    dataChanges: [{ offset: 64n, before: 'AAA=', after: 'AgE=' }],
  });
  expect(byAddress.get(TOKEN)).toMatchObject({ writable: false, states: null });
});

test('an account that a transaction makes did not exist before, and its data is cut where there is much of it', async () => {
  const test = newCheatLedger();
  const [wallet, made] = [await fundedWallet(test), Keypair.generate()];
  const programId = new PublicKey('BPFLoader2111111111111111111111111111111111');
  const space = 4_000;
  const create = SystemProgram.createAccount({
    fromPubkey: wallet.publicKey,
    newAccountPubkey: made.publicKey,
    lamports: Number(SOL),
    space,
    programId,
  });
  const { accounts } = await traceOf(test, await sendNow(test, signed(test, [wallet, made], create)));
  expect(accounts.find(({ address }) => address === made.publicKey.toBase58())).toMatchObject({
    states: { before: null, after: { lamports: SOL, space: 4_000n, owner: programId.toBase58() } },
    dataChangesCut: true,
    dataChanges: [{ offset: 0n, before: '', after: Buffer.alloc(1_024).toString('base64') }],
  });
});

test('the call that failed is said in words: that of the instruction, or one that it made', async () => {
  const { test, wallet, mint, owned, createMint, open } = await scene();
  await sendNow(test, signed(test, [wallet, mint], ...createMint, open));
  const burn = createBurnInstruction(owned, mint.publicKey, wallet.publicKey, 5n);
  const failed = await traceOf(
    test,
    await sendNow(test, signed(test, [wallet], memo('one'), burn, memo('two'))),
  );
  expect(failed.failure).toEqual({
    path: '1',
    message:
      'Instruction 1 (spl-token: burn) failed: the account holds fewer tokens than the amount (custom program error: 0x1); the last line of its log is "Error: insufficient funds"',
  });
  expect(names(failed.calls)).toEqual([
    ['0', 'spl-memo', null, 'succeeded'],
    ['1', 'spl-token', 'burn', 'failed'],
    ['2', 'spl-memo', null, 'notRun'],
  ]);
  const poor = await fundedWallet(test, 900_000n);
  const account = getAssociatedTokenAddressSync(mint.publicKey, poor.publicKey);
  const make = createAssociatedTokenAccountInstruction(
    poor.publicKey,
    account,
    poor.publicKey,
    mint.publicKey,
  );
  const inner = await traceOf(test, await sendNow(test, signed(test, [wallet, poor], make)));
  expect(inner.failure).toEqual({
    path: '0.1',
    message:
      'Call 0.1 (system: createAccount) failed: the account holds fewer lamports than are to be taken (custom program error: 0x1); the last line of its log is "Transfer: insufficient lamports 900000, need 1488440"',
  });
  expect(inner.calls[0]).toMatchObject({ status: 'failed', error: 'custom program error: 0x1' });
});

test('a transaction that is given is simulated, whatever its signatures and its blockhash are, and changes nothing', async () => {
  const { test, wallet, mint, createMint } = await scene();
  const text = signed(test, [wallet, mint], ...createMint);
  test.tick(200);
  const bytes = Buffer.from(text, 'base64');
  bytes.fill(0, 1, 129);
  const trace = await traceOf(test, bytes.toString('base64'));
  expect(trace).toMatchObject({
    kind: 'simulated',
    slot: test.ledger.blocks.openSlot,
    err: null,
    statesKept: true,
  });
  expect(trace.accounts[1]).toMatchObject({ states: { before: null, after: { owner: TOKEN } } });
  expect(
    (await test.call('getAccountInfo', mint.publicKey.toBase58(), { commitment: 'processed' })).value,
  ).toBeNull();
  expect(
    await test.cheat('localnet_trace', encodeBase58(Buffer.from(text, 'base64')), { encoding: 'base58' }),
  ).toMatchObject({
    kind: 'simulated',
  });
});

test('a transaction that was refused as a whole says why, and that nothing ran', async () => {
  const test = newCheatLedger();
  const nobody = Keypair.generate();
  const trace = await traceOf(test, signed(test, [nobody], memo('free')));
  expect(trace).toMatchObject({
    err: 'AccountNotFound',
    fee: null,
    computeUnits: 0n,
    failure: {
      path: null,
      message:
        'The transaction was refused before its first instruction: Attempt to debit an account but found no record of a prior credit.',
    },
    calls: [{ status: 'notRun', computeUnits: 0n }],
  });
});

test('logs that the runtime cut leave calls without units, and the trace says how many nothing tells of', async () => {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const memos = Array.from({ length: 60 }, () => memo(''));
  const trace = await traceOf(test, await sendNow(test, signed(test, [wallet], ...memos)));
  expect(trace).toMatchObject({ err: null, logsCut: true });
  expect(trace.calls[0]).toMatchObject({ status: 'succeeded', logs: ['Memo (len 0)', ''] });
  expect(trace.calls[59]).toMatchObject({ status: 'succeeded', computeUnits: null, logs: [] });
  const told = trace.calls.reduce((sum, { computeUnits }) => sum + BigInt(computeUnits ?? 0), 0n);
  expect(trace.unattributedComputeUnits).toBeGreaterThan(0n);
  expect(told + BigInt(trace.unattributedComputeUnits)).toBe(trace.computeUnits);
});

test('an IDL names programs, instructions, arguments, accounts and errors: that of the call before the registered one', async () => {
  const { test, wallet, mint, owned, createMint, open } = await scene();
  const named = { ...TOKEN_IDL, errors: [{ code: 1, name: 'poor', msg: 'There is too little' }] };
  await test.cheat('localnet_setIdl', TOKEN, named);
  await sendNow(test, signed(test, [wallet, mint], ...createMint, open));
  const text = signed(test, [wallet], createBurnInstruction(owned, mint.publicKey, wallet.publicKey, 5n));
  const trace = await traceOf(test, text);
  expect(trace.calls[0]).toMatchObject({
    program: 'token',
    instruction: 'burn',
    namedBy: 'idl',
    info: { amount: 5n },
    accounts: [{ name: 'account' }, { name: 'mint' }, { name: 'owner' }],
  });
  expect(trace.failure?.message).toContain(
    '(token: burn) failed: There is too little (custom program error: 0x1)',
  );
  const own = { ...named, metadata: { name: 'given' } };
  const given = await test.cheat('localnet_trace', text, { idls: [{ program: TOKEN, idl: own }] });
  expect(given?.calls[0]?.program).toBe('given');
  await test.cheat('localnet_setIdl', TOKEN, 'none');
  expect((await traceOf(test, text)).calls[0]).toMatchObject({ program: 'spl-token', namedBy: 'parser' });
});

test('a signature that is not there has no trace, and text that is neither is refused', async () => {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  expect(await test.cheat('localnet_trace', encodeBase58(Buffer.alloc(64, 7)))).toBeNull();
  expect(await test.cheatRefusal('localnet_trace', 'AAAA')).toMatch(/failed to deserialize/);
  expect(await test.cheatRefusal('localnet_trace', '!')).toMatch(/invalid base64 encoding/);
  const idl = { instructions: [{ name: 'x'.repeat(300_000) }] };
  expect(await test.cheatRefusal('localnet_setIdl', TOKEN, idl)).toMatch(/the limit is 262144/);
  const many = Array.from({ length: 17 }, () => ({ program: TOKEN, idl: TOKEN_IDL }));
  expect(
    await test.cheatRefusal(
      'localnet_trace',
      signed(test, [wallet], transfer(wallet, wallet.publicKey, 1n)),
      { idls: many },
    ),
  ).toMatch(/16/);
});

test('a trace is the same in the branch that a snapshot goes back to', async () => {
  const test = newCheatLedger();
  const wallet = await fundedWallet(test);
  const signature = await sendNow(test, signed(test, [wallet], memo('kept')));
  const trace = await traceOf(test, signature);
  await test.cheat('localnet_snapshot', 'here');
  test.tick(40);
  const later = await sendNow(test, signed(test, [wallet], memo('later')));
  await test.cheat('localnet_restore', 'here');
  expect(await traceOf(test, signature)).toEqual(trace);
  expect(await test.cheat('localnet_trace', later)).toBeNull();
});
