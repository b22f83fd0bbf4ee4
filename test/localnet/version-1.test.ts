import { ComputeBudgetProgram, Keypair, NonceAccount, SystemProgram } from '@solana/web3.js';
import { expect, test } from 'vitest';
import {
  instructionOf,
  planTransfer,
  signVersion1,
  type Version1Plan,
} from '../../src/devkit/contract/scenario/version-1.ts';
import { newLedger, type TestLedger } from './new-ledger.ts';
import { fundedWallet, landed, memo, price, sendNow, signed, SOL } from './transactions.ts';
import { encodeVersion1, encodeVersion1Message, keyOf, type RawVersion1 } from './version-1-wire.ts';

const BASE64 = { encoding: 'base64' } as const;
const SANITIZE = 'invalid transaction: Transaction failed to sanitize accounts offsets correctly';
const PLENTY = { computeUnitLimit: 200_000, loadedAccountsDataSizeLimit: 1_048_576 } as const;
const recipient = Keypair.generate().publicKey;

const latest = ({ ledger }: TestLedger): string => ledger.blocks.blockhash(ledger.blocks.openSlot - 1n);

async function send(run: TestLedger, wallet: Keypair, plan: Version1Plan): Promise<string> {
  return await sendNow(run, (await signVersion1(wallet, latest(run), plan)).text);
}

const transferWith = (wallet: Keypair, limits: Version1Plan['limits']): Version1Plan => ({
  ...planTransfer(wallet.publicKey.toBase58(), recipient.toBase58(), 1_000_000),
  limits,
});

test('the priority fee is a total in lamports, however many units are asked for', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  for (const computeUnitLimit of [150, 1_400_000]) {
    const plan = transferWith(wallet, { ...PLENTY, computeUnitLimit, priorityFeeLamports: 777n });
    const { messageBytes } = await signVersion1(wallet, latest(run), plan);
    const fee = await run.call('getFeeForMessage', Buffer.from(messageBytes).toString('base64'), {
      commitment: 'processed',
    });
    expect(fee.value).toBe(5_777n);
    expect(await landed(run, await send(run, wallet, plan))).toMatchObject({ err: null, fee: 5_777n });
    run.tick();
  }
  const left = await run.call('getBalance', wallet.publicKey.toBase58(), { commitment: 'processed' });
  expect(left.value).toBe(10n * SOL - 2n * (1_000_000n + 5_777n));
});

test('limits that are not set are 0: the transaction lands with an error, and its fee is taken', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  const unlimited = await send(run, wallet, transferWith(wallet, { priorityFeeLamports: 5n }));
  expect(await landed(run, unlimited)).toMatchObject({
    err: 'MaxLoadedAccountsDataSizeExceeded',
    fee: 5_005n,
  });
  run.tick();
  const unitless = await send(run, wallet, transferWith(wallet, { loadedAccountsDataSizeLimit: 65_536 }));
  const err = { InstructionError: [0, 'ComputationalBudgetExceeded'] };
  expect(await landed(run, unitless)).toMatchObject({ err, fee: 5_000n });
  const left = await run.call('getBalance', wallet.publicKey.toBase58(), { commitment: 'processed' });
  expect(left.value).toBe(10n * SOL - 5_005n - 5_000n);
});

test('instructions of the compute budget program ask for nothing and cost units as any', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  const budget = [price(1_000_000), price(2), ComputeBudgetProgram.setComputeUnitLimit({ units: 7 })];
  const plan = transferWith(wallet, PLENTY);
  const instructions = [...budget.map(instructionOf), ...plan.instructions];
  const meta = await landed(run, await send(run, wallet, { ...plan, instructions }));
  expect(meta).toMatchObject({ err: null, fee: 5_000n, computeUnitsConsumed: 4n * 150n });
});

test('a durable nonce takes the place of the blockhash', async () => {
  const run = newLedger();
  const [wallet, nonce] = [await fundedWallet(run), Keypair.generate()];
  const create = SystemProgram.createNonceAccount({
    fromPubkey: wallet.publicKey,
    noncePubkey: nonce.publicKey,
    authorizedPubkey: wallet.publicKey,
    lamports: 10_000_000,
  });
  await sendNow(run, signed(run, [wallet, nonce], ...create.instructions));
  const stored = (): string => {
    const { data } = run.ledger.accounts.read(nonce.publicKey.toBase58(), run.ledger.blocks.openSlot) ?? {};
    return NonceAccount.fromAccountData(Buffer.from(data ?? [])).nonce;
  };
  run.tick(200);
  const value = stored();
  const advance = SystemProgram.nonceAdvance({
    noncePubkey: nonce.publicKey,
    authorizedPubkey: wallet.publicKey,
  });
  const plan = transferWith(wallet, PLENTY);
  const { text } = await signVersion1(wallet, value, {
    ...plan,
    instructions: [instructionOf(advance), ...plan.instructions],
  });
  expect(await landed(run, await sendNow(run, text))).toMatchObject({ err: null });
  expect(stored()).not.toBe(value);
  run.tick();
  expect(
    await run.refusal('sendTransaction', text, { ...BASE64, preflightCommitment: 'processed' }),
  ).toMatchObject({ code: 'preflightFailure' });
});

test('what it pays for a unit counts among the prioritization fees, unless it asks for no units', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  run.tick();
  await send(
    run,
    wallet,
    transferWith(wallet, { loadedAccountsDataSizeLimit: 65_536, priorityFeeLamports: 9n }),
  );
  run.tick();
  await send(
    run,
    wallet,
    transferWith(wallet, { ...PLENTY, computeUnitLimit: 1_000, priorityFeeLamports: 3n }),
  );
  run.tick();
  const fees = await run.call('getRecentPrioritizationFees', [recipient.toBase58()]);
  expect(fees).toEqual([
    { slot: 32n, prioritizationFee: 0n },
    { slot: 34n, prioritizationFee: 3_000n },
  ]);
});

const memoData = Buffer.from('x');
const base = (lifetime: string, payer: Keypair): RawVersion1 => ({
  header: [1, 0, 1],
  lifetime,
  keys: [payer.publicKey, memo('').programId],
  instructions: [{ program: 1, accounts: [], data: memoData }],
});

test.each<[string, (raw: RawVersion1) => RawVersion1, string]>([
  [
    '13 signatures',
    (raw) => ({ ...raw, header: [13, 0, 1], keys: [...raw.keys, ...numbered(12)] }),
    'index out of bounds',
  ],
  ['65 addresses', (raw) => ({ ...raw, keys: [...raw.keys, ...numbered(63)] }), 'index out of bounds'],
  [
    '65 instructions',
    (raw) => ({ ...raw, instructions: new Array(65).fill(raw.instructions[0]) }),
    'index out of bounds',
  ],
  ['an address twice', (raw) => ({ ...raw, keys: [...raw.keys, keyOf(9), keyOf(9)] }), 'invalid value'],
  ['a fee payer that is only read', (raw) => ({ ...raw, header: [1, 1, 1] }), 'invalid value'],
  ['more readers than addresses', (raw) => ({ ...raw, header: [1, 0, 2] }), 'index out of bounds'],
  [
    'a heap that is no multiple of 1,024',
    (raw) => ({ ...raw, mask: 0b10000, config: u32(33_000) }),
    'invalid value',
  ],
  ['a heap below 32 KiB', (raw) => ({ ...raw, mask: 0b10000, config: u32(31_744) }), 'invalid value'],
  ['a heap above 256 KiB', (raw) => ({ ...raw, mask: 0b10000, config: u32(263_168) }), 'invalid value'],
  [
    'the fee payer for a program',
    (raw) => ({ ...raw, instructions: [{ program: 0, accounts: [], data: memoData }] }),
    'index out of bounds',
  ],
  [
    'a program that is not there',
    (raw) => ({ ...raw, instructions: [{ program: 2, accounts: [], data: memoData }] }),
    'index out of bounds',
  ],
  [
    'an account that is not there',
    (raw) => ({ ...raw, instructions: [{ program: 1, accounts: [2], data: memoData }] }),
    'index out of bounds',
  ],
])('%s is refused', async (_name, change, reason) => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  const raw = change(base(latest(run), wallet));
  const text = encodeVersion1(raw, new Array(raw.header[0]).fill(wallet));
  for (const method of ['sendTransaction', 'simulateTransaction'] as const)
    expect((await run.refusal(method, text, BASE64)).message).toBe(SANITIZE);
  const message = encodeVersion1Message(raw).toString('base64');
  expect((await run.refusal('getFeeForMessage', message)).message).toBe(
    `invalid transaction message: ${reason}`,
  );
});

test('12 signatures, 64 addresses, 64 instructions and a heap of 32 or 256 KiB are not', async () => {
  const run = newLedger();
  const signers = [await fundedWallet(run), ...Array.from({ length: 11 }, () => Keypair.generate())];
  const [payer = Keypair.generate()] = signers;
  const raw = base(latest(run), payer);
  const others = numbered(64 - 13);
  const large: RawVersion1 = {
    ...raw,
    header: [12, 0, 52],
    keys: [...signers.map(({ publicKey }) => publicKey), memo('').programId, ...others],
    instructions: new Array(64).fill({ program: 12, accounts: [], data: memoData }),
    mask: 0b11100,
    config: Buffer.concat([u32(1_400_000), u32(2 ** 26), u32(262_144)]),
  };
  const text = encodeVersion1(large, signers);
  const { value } = await run.call('simulateTransaction', text, {
    ...BASE64,
    sigVerify: true,
    commitment: 'processed',
  });
  expect(value).toMatchObject({ err: null, fee: 60_000n });
  expect(await landed(run, await sendNow(run, text))).toMatchObject({ err: null });
  const small = encodeVersion1(
    { ...raw, mask: 0b11100, config: Buffer.concat([u32(9_000), u32(2 ** 20), u32(32_768)]) },
    [payer],
  );
  expect(await landed(run, await sendNow(run, small))).toMatchObject({ err: null });
});

test('a caller that reads version 0 gets -32015, for a block as a whole, and all else as ever', async () => {
  const run = newLedger();
  const wallet = await fundedWallet(run);
  run.tick();
  const legacy = await sendNow(run, signed(run, [wallet], memo('beside it')));
  const signature = await send(run, wallet, transferWith(wallet, PLENTY));
  run.tick();
  const slot = run.ledger.blocks.openSlot - 1n;
  const confirmed = { commitment: 'confirmed' } as const;
  for (const version of [{}, { maxSupportedTransactionVersion: 0 }]) {
    const config = { ...confirmed, ...version };
    const refused = { code: 'transactionVersionNotSupported', context: { version: 1 } };
    expect(await run.refusal('getTransaction', signature, config)).toMatchObject(refused);
    expect(await run.refusal('getBlock', slot, config)).toMatchObject(refused);
    expect(await run.refusal('getBlock', slot, { ...config, transactionDetails: 'accounts' })).toMatchObject(
      refused,
    );
    expect(await run.call('getTransaction', legacy, config)).toMatchObject({ meta: { err: null } });
    expect(await run.call('getBlock', slot, { ...config, transactionDetails: 'signatures' })).toMatchObject({
      signatures: [legacy, signature],
    });
  }
  expect((await run.call('getSignatureStatuses', [signature])).value).toMatchObject([{ err: null }]);
  const history = await run.call('getSignaturesForAddress', recipient.toBase58(), confirmed);
  expect(history.map((entry) => entry.signature)).toEqual([signature]);
});

function numbered(count: number) {
  return Array.from({ length: count }, (_, number) => keyOf(number + 10));
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
