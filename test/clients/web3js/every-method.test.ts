import {
  createApproveInstruction,
  createAssociatedTokenAccountInstruction,
  createInitializeMint2Instruction,
  createMintToInstruction,
  getAssociatedTokenAddressSync,
  MINT_SIZE,
  TOKEN_PROGRAM_ID,
} from '@solana/spl-token';
import { Connection, Keypair, PublicKey, SystemProgram } from '@solana/web3.js';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { beforeAll, expect, test } from 'vitest';
import type { MethodName } from '../../../generated/ledger/methods.ts';
import { type ClientMethod, GIVEN_METHODS } from '../client-methods.ts';
import { CONSENSUS } from '../../support/test-ledger.ts';
import { fundedKeypair, land, landReadable, rpcUrl, SOL, signed, transfer } from './client.ts';

const BASE58_32 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const TOKENS = { amount: '7000000', decimals: 6, uiAmount: 7, uiAmountString: '7' };
const called = new Set<string>();
const connection = new Connection(rpcUrl, {
  commitment: 'confirmed',
  fetchMiddleware: (info, init, send) => {
    called.add((JSON.parse(String(init?.body)) as { method: string }).method);
    send(info, init);
  },
});

/** The way web3.js itself sends a call, for the eight methods it has no function for. */
type Raw = {
  _rpcRequest(method: string, params: readonly unknown[]): Promise<{ result?: unknown; error?: unknown }>;
};
async function raw(method: MethodName, params: readonly unknown[] = []): Promise<unknown> {
  const { result, error } = await (connection as unknown as Raw)._rpcRequest(method, params);
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result;
}

const mint = Keypair.generate();
const delegate = Keypair.generate().publicKey;
let payer: Keypair;
let identity: string;
let tokenAccount: PublicKey;
let signature: string;
let slot: number;

beforeAll(async () => {
  payer = await fundedKeypair();
  identity = await connection.getSlotLeader();
  const owner = payer.publicKey;
  tokenAccount = getAssociatedTokenAddressSync(mint.publicKey, owner);
  const lamports = await connection.getMinimumBalanceForRentExemption(MINT_SIZE);
  const account = { fromPubkey: owner, newAccountPubkey: mint.publicKey, lamports, space: MINT_SIZE };
  const instructions = [
    SystemProgram.createAccount({ ...account, programId: TOKEN_PROGRAM_ID }),
    createInitializeMint2Instruction(mint.publicKey, 6, owner, null),
    createAssociatedTokenAccountInstruction(owner, tokenAccount, owner, mint.publicKey),
    createMintToInstruction(mint.publicKey, tokenAccount, owner, 7_000_000n),
    createApproveInstruction(tokenAccount, delegate, owner, 1n),
  ];
  ({ signature, slot } = await land(payer, instructions, [mint]));
});

/** One call of every method that public clients know; the compiler asks for each of them. */
const CALLS: { readonly [M in ClientMethod]: () => Promise<void> } = {
  getAccountInfo: async () => {
    const account = await connection.getAccountInfo(tokenAccount);
    expect(account).toMatchObject({ owner: TOKEN_PROGRAM_ID, lamports: 1_488_440, executable: false });
    expect(account?.data).toHaveLength(165);
  },
  getAgGenesisCert: async () =>
    expect(await raw('getAgGenesisCert', [])).toEqual(
      CONSENSUS === 'tower'
        ? null
        : { block: expect.objectContaining({ slot: 0 }), signature: expect.any(Object) },
    ),
  getBalance: async () => expect(await connection.getBalance(tokenAccount)).toBe(1_488_440),
  getBlock: async () => {
    const { signature: sent, slot: its } = await landReadable(payer, () => [
      transfer(payer, payer.publicKey, 1),
    ]);
    const block = await connection.getBlock(its, { maxSupportedTransactionVersion: 0 });
    expect(block?.transactions.map(({ transaction }) => transaction.signatures[0])).toContain(sent);
  },
  getBlockCommitment: async () => {
    const { totalStake } = (await raw('getBlockCommitment', [slot])) as { totalStake: number };
    expect(totalStake > 0).toBe(CONSENSUS === 'tower');
  },
  getBlockHeight: async () => {
    const height = await connection.getBlockHeight();
    expect(height).toBeGreaterThan(0);
    expect(height).toBeLessThanOrEqual(await connection.getSlot());
  },
  getBlockProduction: async () => {
    const { context, value } = await connection.getBlockProduction();
    expect(value.range.lastSlot).toBe(context.slot);
    expect(value.byIdentity[identity]?.[1]).toBeGreaterThan(0);
  },
  getBlocks: async () => expect(await connection.getBlocks(slot, slot)).toEqual([slot]),
  getBlocksWithLimit: async () => {
    expect(await raw('getBlocksWithLimit', [slot, 1, { commitment: 'confirmed' }])).toEqual([slot]);
  },
  getBlockTime: async () => {
    const ageSeconds = Date.now() / 1000 - Number(await connection.getBlockTime(slot));
    expect(Math.abs(ageSeconds)).toBeLessThan(120);
  },
  getClusterNodes: async () => {
    expect((await connection.getClusterNodes()).map(({ pubkey }) => pubkey)).toContain(identity);
  },
  getEpochInfo: async () => {
    const info = await connection.getEpochInfo();
    expect(info.slotIndex).toBeLessThan(info.slotsInEpoch);
    expect(info.absoluteSlot).toBeGreaterThanOrEqual(slot);
  },
  getEpochSchedule: async () => {
    const schedule = await connection.getEpochSchedule();
    const { epoch, slotsInEpoch } = await connection.getEpochInfo();
    expect(schedule.getSlotsInEpoch(epoch)).toBe(slotsInEpoch);
  },
  getFeeForMessage: async () => {
    const { value } = await connection.getFeeForMessage(
      (await signed(payer, [transfer(payer, delegate, SOL)])).compileMessage(),
    );
    expect(value).toBe(5000);
  },
  getFirstAvailableBlock: async () => expect(await connection.getFirstAvailableBlock()).toBeLessThan(slot),
  getGenesisHash: async () => expect(await connection.getGenesisHash()).toMatch(BASE58_32),
  getHealth: async () => expect(await raw('getHealth')).toBe('ok'),
  getHighestSnapshotSlot: async () =>
    expect(await raw('getHighestSnapshotSlot')).toEqual({ full: expect.any(Number), incremental: null }),
  getIdentity: async () => expect(await raw('getIdentity')).toEqual({ identity }),
  getInflationGovernor: async () => {
    const { initial, terminal } = await connection.getInflationGovernor();
    expect(initial).toBeGreaterThanOrEqual(terminal);
  },
  getInflationRate: async () => {
    const { total, validator, foundation } = await connection.getInflationRate();
    expect(validator + foundation).toBeCloseTo(total, 12);
  },
  getInflationReward: async () => {
    await expect(connection.getInflationReward([payer.publicKey], 0)).rejects.toThrow(
      /Block not available for slot \d+/,
    );
  },
  getLargestAccounts: async () => {
    const { value } = await connection.getLargestAccounts({ filter: 'circulating' });
    expect(value).toHaveLength(20);
    const amounts = value.map(({ lamports }) => lamports);
    expect(amounts).toEqual(amounts.toSorted((a, b) => b - a));
  },
  getLatestBlockhash: async () => {
    const { lastValidBlockHeight } = await connection.getLatestBlockhash();
    const ahead = lastValidBlockHeight - (await connection.getBlockHeight());
    expect(ahead).toBeGreaterThan(140);
    expect(ahead).toBeLessThanOrEqual(150);
  },
  getLeaderSchedule: async () =>
    expect(Object.keys(await connection.getLeaderSchedule())).toContain(identity),
  getMaxRetransmitSlot: async () => expect(await raw('getMaxRetransmitSlot')).toBeGreaterThanOrEqual(slot),
  getMaxShredInsertSlot: async () => expect(await raw('getMaxShredInsertSlot')).toBeGreaterThanOrEqual(slot),
  getMinimumBalanceForRentExemption: async () => {
    expect(await connection.getMinimumBalanceForRentExemption(0)).toBe(650_240);
    expect(await connection.getMinimumBalanceForRentExemption(165)).toBe(1_488_440);
  },
  getMultipleAccounts: async () => {
    const [known, unknown] = await connection.getMultipleAccountsInfo([
      mint.publicKey,
      Keypair.generate().publicKey,
    ]);
    expect(known?.data).toHaveLength(82);
    expect(unknown).toBeNull();
  },
  getProgramAccounts: async () => {
    const filters = [{ dataSize: 165 }, { memcmp: { offset: 0, bytes: mint.publicKey.toBase58() } }];
    const found = await connection.getProgramAccounts(TOKEN_PROGRAM_ID, { filters });
    expect(found.map(({ pubkey }) => pubkey)).toEqual([tokenAccount]);
  },
  getRecentPerformanceSamples: async () => {
    expect((await connection.getRecentPerformanceSamples(5)).length).toBeLessThanOrEqual(5);
  },
  getRecentPrioritizationFees: async () => {
    const slots = (await connection.getRecentPrioritizationFees()).map((fee) => fee.slot);
    expect(slots.length).toBeLessThanOrEqual(150);
    expect(slots).toEqual(slots.toSorted((a, b) => a - b));
  },
  getSignaturesForAddress: async () => {
    expect(await connection.getSignaturesForAddress(delegate)).toMatchObject([
      { signature, slot, err: null },
    ]);
  },
  getSignatureStatuses: async () => {
    expect((await connection.getSignatureStatuses([signature])).value).toMatchObject([{ slot, err: null }]);
  },
  getSlot: async () => expect(await connection.getSlot()).toBeGreaterThanOrEqual(slot),
  getSlotLeader: async () => expect(identity).toMatch(BASE58_32),
  getSlotLeaders: async () => {
    const leader = new PublicKey(identity);
    expect(await connection.getSlotLeaders(slot, 3)).toEqual([leader, leader, leader]);
  },
  getStakeMinimumDelegation: async () => {
    expect([1, SOL]).toContain((await connection.getStakeMinimumDelegation()).value);
  },
  getSupply: async () => {
    const { value } = await connection.getSupply({ excludeNonCirculatingAccountsList: true });
    expect(value.circulating).toBeGreaterThan(0);
    expect(value.nonCirculatingAccounts).toEqual([]);
  },
  getTokenAccountBalance: async () => {
    expect((await connection.getTokenAccountBalance(tokenAccount)).value).toEqual(TOKENS);
  },
  getTokenAccountsByDelegate: async () => {
    const params = [
      delegate.toBase58(),
      { mint: mint.publicKey.toBase58() },
      { encoding: 'base64', commitment: 'confirmed' },
    ];
    const { value } = (await raw('getTokenAccountsByDelegate', params)) as {
      value: readonly { pubkey: string }[];
    };
    expect(value.map(({ pubkey }) => pubkey)).toEqual([tokenAccount.toBase58()]);
  },
  getTokenAccountsByOwner: async () => {
    const { value } = await connection.getTokenAccountsByOwner(payer.publicKey, { mint: mint.publicKey });
    expect(value.map(({ pubkey }) => pubkey)).toEqual([tokenAccount]);
  },
  getTokenLargestAccounts: async () => {
    expect((await connection.getTokenLargestAccounts(mint.publicKey)).value).toEqual([
      { address: tokenAccount, ...TOKENS },
    ]);
  },
  getTokenSupply: async () => expect((await connection.getTokenSupply(mint.publicKey)).value).toEqual(TOKENS),
  getTransaction: async () => {
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found).toMatchObject({ slot, meta: { err: null, fee: 10_000 } });
  },
  getTransactionCount: async () => {
    const before = await connection.getTransactionCount();
    await land(payer, [transfer(payer, delegate, SOL)]);
    expect(await connection.getTransactionCount()).toBeGreaterThan(before);
  },
  getVersion: async () => {
    const version = await connection.getVersion();
    expect(version['solana-core']).toMatch(/^\d+\.\d+\.\d+/);
    expect(version['feature-set']).toBeTypeOf('number');
  },
  getVoteAccounts: async () => {
    const { current } = await connection.getVoteAccounts();
    expect(current.map(({ nodePubkey }) => nodePubkey)).toContain(identity);
  },
  isBlockhashValid: async () => {
    const { blockhash } = await connection.getLatestBlockhash();
    expect((await connection.isBlockhashValid(blockhash)).value).toBe(true);
    expect((await connection.isBlockhashValid(delegate.toBase58())).value).toBe(false);
  },
  minimumLedgerSlot: async () => expect(await connection.getMinimumLedgerSlot()).toBeLessThanOrEqual(slot),
  requestAirdrop: async () => {
    expect(await connection.requestAirdrop(Keypair.generate().publicKey, SOL)).toMatch(
      /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
    );
  },
  sendTransaction: async () => {
    const id = await connection.sendRawTransaction(
      (await signed(payer, [transfer(payer, delegate, 1234)])).serialize(),
    );
    await confirm({ rpcUrl }, id, 'processed');
  },
  simulateTransaction: async () => {
    const { value } = await connection.simulateTransaction(
      await signed(payer, [transfer(payer, delegate, SOL)]),
    );
    expect(value).toMatchObject({ err: null, unitsConsumed: 150 });
  },
};

test.each(Object.entries(CALLS))('%s answers through web3.js', async (_method, check) => {
  await check();
});

test('no method of the interface is left out', () => {
  expect([...called].sort(), 'methods that went over the wire').toEqual(Object.keys(CALLS).sort());
  expect(Object.keys(CALLS)).toEqual(expect.arrayContaining([...GIVEN_METHODS]));
});
