import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bls12_381 } from '@noble/curves/bls12-381.js';
import { base58 } from '@scure/base';
import { expect, onTestFinished, test } from 'vitest';
import type { MethodResults } from '../../generated/ledger/types.ts';
import { createGenesis } from '../../src/localnet/genesis/genesis.ts';
import { genesisCertificate } from '../../src/localnet/validator/genesis-certificate.ts';
import { newLedger } from './new-ledger.ts';
import { keptLedger } from './disk/kept-ledger.ts';
import { serveLedger } from './subscriptions/serve-ledger.ts';
import { fundedWallet, memo, sendNow, signed } from './transactions.ts';

const OPTIONS = { consensus: 'alpenglow', votes: true } as const;

/** Agave's check of a genesis certificate (`verify_base2`), written apart from the code that makes it. */
function isVerified(
  { block, signature }: NonNullable<MethodResults['getAgGenesisCert']>,
  { shredVersion, key }: { readonly shredVersion: number; readonly key: Uint8Array },
): boolean {
  const payload = Buffer.alloc(43);
  payload.writeUInt8(6);
  payload.writeBigUInt64LE(BigInt(block.slot), 1);
  payload.set(block.blockId, 9);
  payload.writeUInt16LE(shredVersion, 41);
  expect(signature.bitmap).toEqual([0, 1, 0, 0b1]);
  const { longSignatures: bls, G1, G2 } = bls12_381;
  return bls.verify(
    G2.Point.fromBytes(Uint8Array.from(signature.signature)),
    bls.hash(payload, 'BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_POP_'),
    G1.Point.fromBytes(key),
  );
}

test('the certificate is of the genesis block, and signed by the BLS key of the vote account', async () => {
  const { call, ledger } = newLedger(OPTIONS);
  const certificate = await call('getAgGenesisCert');
  if (certificate === null) throw new Error('there is none');
  expect(certificate.block).toEqual({ slot: 0n, blockId: [...base58.decode(await call('getGenesisHash'))] });
  const { value } = await call('getAccountInfo', ledger.genesis.voteAddress, { encoding: 'jsonParsed' });
  const account = value as { data: { parsed: { info: { blsPubkeyCompressed: string } } } };
  const key = base58.decode(account.data.parsed.info.blsPubkeyCompressed);
  const [{ shredVersion = 0 } = {}] = (await call('getClusterNodes')) as readonly { shredVersion?: number }[];
  expect(isVerified(certificate, { shredVersion, key })).toBe(true);
  expect(isVerified(certificate, { shredVersion: shredVersion ^ 1, key })).toBe(false);
  const other = await genesisCertificate(createGenesis(1));
  const mixed = { ...certificate, signature: other.signature };
  expect(isVerified(mixed, { shredVersion, key })).toBe(false);
});

test('a new ledger runs Alpenglow unless it is told otherwise', async () => {
  const { call, ledger } = newLedger({ consensus: undefined });
  expect(ledger.consensus).toBe('alpenglow');
  expect(await call('getAgGenesisCert')).not.toBeNull();
});

test('a confirmed block is final, and no block holds a vote', async () => {
  const run = newLedger(OPTIONS);
  const { call, tick } = run;
  const wallet = await fundedWallet(run);
  for (let round = 0; round < 40; round++) {
    const [processed, confirmed, finalized] = await Promise.all(
      (['processed', 'confirmed', 'finalized'] as const).map((commitment) => call('getSlot', { commitment })),
    );
    expect([confirmed, finalized]).toEqual([(processed ?? 0n) - 1n, (processed ?? 0n) - 1n]);
    tick();
  }
  const signature = await sendNow(run, signed(run, [wallet], memo('final')));
  const status = async () => (await call('getSignatureStatuses', [signature])).value[0];
  expect(await status()).toMatchObject({ confirmationStatus: 'processed' });
  tick();
  expect(await status()).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
  const slot = await call('getSlot');
  for (const back of [1n, 2n, 20n])
    expect(await call('getBlock', Number(slot - back), { transactionDetails: 'signatures' })).toMatchObject({
      signatures: [],
    });
});

test('a slot is a root as soon as it is confirmed', async () => {
  const { call, tick, connect } = await serveLedger({}, OPTIONS);
  const client = await connect();
  const roots = await client.subscribe('rootSubscribe');
  const confirmed = Number(await call('getSlot', { commitment: 'confirmed' }));
  for (const slot of [1, 2, 3].map((each) => confirmed + each)) {
    tick();
    expect((await client.notificationsOf(roots)).at(-1)).toBe(slot);
    expect(Number(await call('getSlot', { commitment: 'confirmed' }))).toBe(slot);
  }
  expect(await client.notificationsOf(roots)).toEqual([1, 2, 3].map((each) => confirmed + each));
});

test('the vote account says that its validator is there, and votes are told nobody', async () => {
  const { call, tick, ledger, connect } = await serveLedger({}, OPTIONS);
  const client = await connect();
  const [votes, slots] = [await client.subscribe('voteSubscribe'), await client.subscribe('slotSubscribe')];
  tick(100);
  expect((await client.notificationsOf(slots)).slice(0, 2)).toEqual([
    { slot: 2, parent: 1, root: 1 },
    { slot: 3, parent: 2, root: 2 },
  ]);
  expect(client.notifications().filter(({ params }) => params.subscription === votes)).toEqual([]);
  const slot = await call('getSlot');
  expect(await call('getVoteAccounts')).toMatchObject({
    current: [{ votePubkey: ledger.genesis.voteAddress, lastVote: slot - 1n, rootSlot: slot - 1n }],
    delinquent: [],
  });
  expect(await call('getBlockCommitment', Number(slot) - 5)).toEqual({ commitment: null, totalStake: 0n });
  const { value } = await call('getAccountInfo', ledger.genesis.voteAddress, { encoding: 'jsonParsed' });
  expect(value?.data).toMatchObject({
    parsed: {
      info: { votes: [{ latency: 0, slot: slot - 1n, confirmationCount: 1 }], lastTimestamp: { slot: 0n } },
    },
  });
});

test('a ledger that is kept stays with the consensus that it began with', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keyslot-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const first = await keptLedger(directory, { consensus: 'alpenglow' });
  first.tick(5);
  const certificate = await first.call('getAgGenesisCert');
  await first.kill();
  const second = await keptLedger(directory, { consensus: 'tower', votes: true });
  expect(await second.call('getAgGenesisCert')).toEqual(certificate);
  second.tick(5);
  expect(second.ledger.slotAt('finalized')).toBe(second.ledger.slotAt('confirmed'));
  await second.kill();
});

test('a ledger from before there was a choice stays under tower', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'keyslot-test-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const first = await keptLedger(directory, { consensus: 'tower' });
  first.tick(5);
  await first.kill();
  const path = join(directory, 'ledger.json');
  const { consensus, ...before } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  expect(consensus).toBe('tower');
  writeFileSync(path, JSON.stringify(before));
  const second = await keptLedger(directory, { consensus: 'alpenglow' });
  expect(await second.call('getAgGenesisCert')).toBeNull();
  expect(second.ledger.slotAt('confirmed') - second.ledger.slotAt('finalized')).toBe(31n);
  await second.kill();
});
