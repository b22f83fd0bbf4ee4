import {
  type Address,
  createDefaultRpcTransport,
  createSolanaRpcFromTransport,
  getBase64Decoder,
  getBase64EncodedWireTransaction,
  isSolanaError,
  type KeyPairSigner,
  lamports,
  SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE,
  type Signature,
  type TransactionMessageBytesBase64,
} from '@solana/kit';
import { base58 } from '@scure/base';
import { getApproveInstruction, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token';
import { confirm } from '../../../src/devkit/contract/confirmation.ts';
import { beforeAll, expect, inject, test } from 'vitest';
import { type ClientMethod, GIVEN_METHODS } from '../client-methods.ts';
import { fundedSigner, land, newAddress, SOL, signed, transfer } from './client.ts';
import { CONSENSUS } from '../../support/test-ledger.ts';
import { createMint, tokenAccountOf } from './mint.ts';

const BASE58_32 = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const called = new Set<string>();
const transport = createDefaultRpcTransport({ url: inject('rpcUrl') });
const rpc = createSolanaRpcFromTransport(async (request) => {
  called.add((request.payload as { method: string }).method);
  return await transport(request);
});

let payer: KeyPairSigner;
let identity: Address;
let mint: Address;
let tokenAccount: Address;
let delegate: Address;
let signature: Signature;
let slot: bigint;

beforeAll(async () => {
  payer = await fundedSigner();
  identity = (await rpc.getIdentity().send()).identity;
  mint = await createMint(payer, 7_000_000n);
  tokenAccount = await tokenAccountOf(payer.address, mint);
  delegate = await newAddress();
  const approve = getApproveInstruction({ source: tokenAccount, delegate, owner: payer, amount: 1n });
  ({ signature, slot } = await land(payer, [approve]));
});

const thrown = async (call: Promise<unknown>): Promise<unknown> =>
  await call.then(
    () => undefined,
    (error: unknown) => error,
  );
const TOKENS = { amount: '7000000', decimals: 6, uiAmount: 7, uiAmountString: '7' };

/** One call of every method that public clients know; the compiler asks for each of them. */
const CALLS: { readonly [M in ClientMethod]: () => Promise<void> } = {
  getAccountInfo: async () => {
    const { value } = await rpc.getAccountInfo(tokenAccount, { encoding: 'base64' }).send();
    expect(value).toMatchObject({
      owner: TOKEN_PROGRAM_ADDRESS,
      space: 165n,
      lamports: 1_488_440n,
      executable: false,
    });
  },
  getAgGenesisCert: async () => {
    const certificate = await rpc.getAgGenesisCert().send();
    if (CONSENSUS === 'tower') return expect(certificate).toBeNull();
    expect(certificate?.signature.signature).toHaveLength(192);
    expect(certificate?.block).toEqual({
      slot: 0n,
      blockId: [...base58.decode(await rpc.getGenesisHash().send())],
    });
  },
  getBalance: async () => expect((await rpc.getBalance(tokenAccount).send()).value).toBe(1_488_440n),
  getBlock: async () => {
    const block = await rpc
      .getBlock(slot, { transactionDetails: 'signatures', maxSupportedTransactionVersion: 0 })
      .send();
    expect(block?.signatures).toContain(signature);
  },
  getBlockCommitment: async () => {
    const { commitment, totalStake } = await rpc.getBlockCommitment(await rpc.getSlot().send()).send();
    if (CONSENSUS === 'alpenglow')
      return expect({ commitment, totalStake }).toEqual({ commitment: null, totalStake: 0n });
    expect(totalStake).toBeGreaterThan(0n);
    if (commitment !== null) expect(commitment).toHaveLength(32);
  },
  getBlockHeight: async () => {
    const height = await rpc.getBlockHeight().send();
    expect(height).toBeGreaterThan(0n);
    expect(height).toBeLessThanOrEqual(await rpc.getSlot().send());
  },
  getBlockProduction: async () => {
    const { context, value } = await rpc.getBlockProduction().send();
    expect(value.range.lastSlot).toBe(context.slot);
    expect(value.byIdentity[identity]?.[1]).toBeGreaterThan(0n);
  },
  getBlocks: async () => expect(await rpc.getBlocks(slot, slot).send()).toEqual([slot]),
  getBlocksWithLimit: async () => expect(await rpc.getBlocksWithLimit(slot, 1).send()).toEqual([slot]),
  getBlockTime: async () => {
    const ageSeconds = Date.now() / 1000 - Number(await rpc.getBlockTime(slot).send());
    expect(Math.abs(ageSeconds)).toBeLessThan(120);
  },
  getClusterNodes: async () => {
    const nodes = await rpc.getClusterNodes().send();
    expect(nodes.map(({ pubkey }) => pubkey)).toContain(identity);
  },
  getEpochInfo: async () => {
    const info = await rpc.getEpochInfo().send();
    expect(info.slotIndex).toBeLessThan(info.slotsInEpoch);
    expect(info.absoluteSlot).toBeGreaterThanOrEqual(slot);
    expect(info.transactionCount).toBeGreaterThan(0n);
  },
  getEpochSchedule: async () => {
    const schedule = await rpc.getEpochSchedule().send();
    expect(schedule.slotsPerEpoch).toBeGreaterThanOrEqual(32n);
    expect(schedule.warmup).toBeTypeOf('boolean');
  },
  getFeeForMessage: async () => {
    const { messageBytes } = await signed(payer, [transfer(payer, delegate, SOL)]);
    const message = getBase64Decoder().decode(messageBytes) as TransactionMessageBytesBase64;
    expect((await rpc.getFeeForMessage(message).send()).value).toBe(5000n);
  },
  getFirstAvailableBlock: async () => expect(await rpc.getFirstAvailableBlock().send()).toBeLessThan(slot),
  getGenesisHash: async () => expect(await rpc.getGenesisHash().send()).toMatch(BASE58_32),
  getHealth: async () => expect(await rpc.getHealth().send()).toBe('ok'),
  getHighestSnapshotSlot: async () => {
    const { full, incremental } = await rpc.getHighestSnapshotSlot().send();
    expect(full).toBeLessThanOrEqual(await rpc.getSlot().send());
    expect(incremental).toBeNull();
  },
  getIdentity: async () => expect(identity).toMatch(BASE58_32),
  getInflationGovernor: async () => {
    const governor = await rpc.getInflationGovernor().send();
    expect(Object.keys(governor).sort()).toEqual([
      'foundation',
      'foundationTerm',
      'initial',
      'taper',
      'terminal',
    ]);
    expect(governor.initial).toBeGreaterThanOrEqual(governor.terminal);
  },
  getInflationRate: async () => {
    const { total, validator, foundation } = await rpc.getInflationRate().send();
    expect(validator + foundation).toBeCloseTo(total, 12);
  },
  getInflationReward: async () => {
    const error = await thrown(rpc.getInflationReward([payer.address], { epoch: 0n }).send());
    expect(isSolanaError(error, SOLANA_ERROR__JSON_RPC__SERVER_ERROR_BLOCK_NOT_AVAILABLE)).toBe(true);
  },
  getLargestAccounts: async () => {
    const { value } = await rpc.getLargestAccounts().send();
    const amounts = value.map((entry) => entry.lamports);
    expect(value).toHaveLength(20);
    expect(amounts).toEqual(amounts.toSorted((a, b) => (a < b ? 1 : -1)));
  },
  getLatestBlockhash: async () => {
    const { value } = await rpc.getLatestBlockhash().send();
    const ahead = value.lastValidBlockHeight - (await rpc.getBlockHeight().send());
    expect(ahead).toBeGreaterThan(140n);
    expect(ahead).toBeLessThanOrEqual(150n);
  },
  getLeaderSchedule: async () => {
    const schedule = await rpc.getLeaderSchedule(null, { identity }).send();
    expect(Object.keys(schedule)).toEqual([identity]);
  },
  getMaxRetransmitSlot: async () =>
    expect(await rpc.getMaxRetransmitSlot().send()).toBeGreaterThanOrEqual(slot),
  getMaxShredInsertSlot: async () =>
    expect(await rpc.getMaxShredInsertSlot().send()).toBeGreaterThanOrEqual(slot),
  getMinimumBalanceForRentExemption: async () => {
    expect(await rpc.getMinimumBalanceForRentExemption(0n).send()).toBe(650_240n);
    expect(await rpc.getMinimumBalanceForRentExemption(165n).send()).toBe(1_488_440n);
  },
  getMultipleAccounts: async () => {
    const { value } = await rpc
      .getMultipleAccounts([mint, await newAddress()], { encoding: 'base64' })
      .send();
    expect(value[0]).toMatchObject({ owner: TOKEN_PROGRAM_ADDRESS, space: 82n });
    expect(value[1]).toBeNull();
  },
  getProgramAccounts: async () => {
    const filters = [
      { dataSize: 165n },
      { memcmp: { offset: 0n, bytes: mint as string as never, encoding: 'base58' } },
    ] as const;
    const found = await rpc.getProgramAccounts(TOKEN_PROGRAM_ADDRESS, { encoding: 'base64', filters }).send();
    expect(found.map(({ pubkey }) => pubkey)).toEqual([tokenAccount]);
  },
  getRecentPerformanceSamples: async () => {
    const samples = await rpc.getRecentPerformanceSamples(5).send();
    expect(samples.length).toBeLessThanOrEqual(5);
  },
  getRecentPrioritizationFees: async () => {
    const slots = (await rpc.getRecentPrioritizationFees([payer.address]).send()).map((fee) => fee.slot);
    expect(slots.length).toBeLessThanOrEqual(150);
    expect(slots).toEqual(slots.toSorted((a, b) => (a < b ? -1 : 1)));
  },
  getSignaturesForAddress: async () => {
    const [entry] = await rpc.getSignaturesForAddress(delegate).send();
    expect(entry).toMatchObject({ signature, slot, err: null });
  },
  getSignatureStatuses: async () => {
    const { value } = await rpc.getSignatureStatuses([signature]).send();
    expect(value[0]).toMatchObject({ slot, err: null });
  },
  getSlot: async () => expect(await rpc.getSlot().send()).toBeGreaterThanOrEqual(slot),
  getSlotLeader: async () => expect(await rpc.getSlotLeader().send()).toBe(identity),
  getSlotLeaders: async () =>
    expect(await rpc.getSlotLeaders(slot, 3).send()).toEqual([identity, identity, identity]),
  getStakeMinimumDelegation: async () => {
    expect([1n, SOL]).toContain((await rpc.getStakeMinimumDelegation().send()).value);
  },
  getSupply: async () => {
    const { value } = await rpc.getSupply().send();
    expect(value.circulating + value.nonCirculating).toBe(value.total);
    expect(value.nonCirculatingAccounts.length === 0).toBe(value.nonCirculating === 0n);
    const excluded = await rpc.getSupply({ excludeNonCirculatingAccountsList: true }).send();
    expect(excluded.value.nonCirculatingAccounts).toEqual([]);
  },
  getTokenAccountBalance: async () =>
    expect((await rpc.getTokenAccountBalance(tokenAccount).send()).value).toEqual(TOKENS),
  getTokenAccountsByDelegate: async () => {
    const { value } = await rpc.getTokenAccountsByDelegate(delegate, { mint }, { encoding: 'base64' }).send();
    expect(value.map(({ pubkey }) => pubkey)).toEqual([tokenAccount]);
  },
  getTokenAccountsByOwner: async () => {
    const { value } = await rpc
      .getTokenAccountsByOwner(payer.address, { mint }, { encoding: 'base64' })
      .send();
    expect(value.map(({ pubkey }) => pubkey)).toEqual([tokenAccount]);
  },
  getTokenLargestAccounts: async () => {
    expect((await rpc.getTokenLargestAccounts(mint).send()).value).toEqual([
      { address: tokenAccount, ...TOKENS },
    ]);
  },
  getTokenSupply: async () => expect((await rpc.getTokenSupply(mint).send()).value).toEqual(TOKENS),
  getTransaction: async () => {
    const found = await rpc
      .getTransaction(signature, { encoding: 'json', maxSupportedTransactionVersion: 0 })
      .send();
    expect(found).toMatchObject({ slot, meta: { fee: 5000n, err: null } });
  },
  getTransactionCount: async () => {
    const before = await rpc.getTransactionCount().send();
    await land(payer, [transfer(payer, delegate, SOL)]);
    expect(await rpc.getTransactionCount().send()).toBeGreaterThan(before);
  },
  getVersion: async () => expect((await rpc.getVersion().send())['solana-core']).toMatch(/^\d+\.\d+\.\d+/),
  getVoteAccounts: async () => {
    const { current } = await rpc.getVoteAccounts().send();
    expect(current.map(({ nodePubkey }) => nodePubkey)).toContain(identity);
  },
  isBlockhashValid: async () => {
    const { value } = await rpc.getLatestBlockhash().send();
    expect((await rpc.isBlockhashValid(value.blockhash).send()).value).toBe(true);
    expect(
      (await rpc.isBlockhashValid((await newAddress()) as string as typeof value.blockhash).send()).value,
    ).toBe(false);
  },
  minimumLedgerSlot: async () => expect(await rpc.minimumLedgerSlot().send()).toBeLessThanOrEqual(slot),
  requestAirdrop: async () => {
    const id = await rpc.requestAirdrop(await newAddress(), lamports(SOL)).send();
    expect(id).toMatch(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/);
  },
  sendTransaction: async () => {
    const transaction = await signed(payer, [transfer(payer, delegate, 1234n)]);
    const wire = getBase64EncodedWireTransaction(transaction);
    const id = await rpc.sendTransaction(wire, { encoding: 'base64', maxRetries: 2n }).send();
    await confirm({ rpcUrl: inject('rpcUrl') }, id, 'processed');
  },
  simulateTransaction: async () => {
    const wire = getBase64EncodedWireTransaction(await signed(payer, [transfer(payer, delegate, SOL)]));
    const { value } = await rpc.simulateTransaction(wire, { encoding: 'base64', sigVerify: true }).send();
    expect(value.fee).toBe(5000n);
  },
};

test.each(Object.entries(CALLS))('%s answers through kit', async (_method, check) => {
  await check();
});

test('no method of the interface is left out', () => {
  expect([...called].sort(), 'methods that went over the wire').toEqual(Object.keys(CALLS).sort());
  expect(Object.keys(CALLS)).toEqual(expect.arrayContaining([...GIVEN_METHODS]));
});
