import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { fundedWallet, memo, sendNow, signed, SOL, transfer } from '../transactions.ts';
import { serveLedger } from './serve-ledger.ts';

const VOTE_PROGRAM = new PublicKey('Vote111111111111111111111111111111111111111');

test('tells every transaction that names the address, in order, when it reaches the level', async () => {
  const served = await serveLedger();
  const [wallet, other] = [await fundedWallet(served), await fundedWallet(served)];
  served.tick();
  const client = await served.connect();
  const filter = { mentions: [wallet.publicKey.toBase58()] };
  const [processed, confirmed, finalized] = [
    await client.subscribe('logsSubscribe', filter, { commitment: 'processed' }),
    await client.subscribe('logsSubscribe', filter, { commitment: 'confirmed' }),
    await client.subscribe('logsSubscribe', filter),
  ];
  const first = await sendNow(served, signed(served, [wallet], memo('one', wallet.publicKey)));
  await sendNow(served, signed(served, [other], memo('of another', other.publicKey)));
  const second = await sendNow(
    served,
    signed(served, [other], transfer(other, wallet.publicKey, 100n * SOL)),
  );
  const expected = [
    { context: { slot: 33 }, value: { signature: first, err: null } },
    { context: { slot: 33 }, value: { signature: second, err: { InstructionError: [0, { Custom: 1 }] } } },
  ];
  expect(await client.notificationsOf(processed)).toMatchObject(expected);
  expect(JSON.stringify(await client.notificationsOf(processed))).toContain('"Program log: one"');
  expect(await client.notificationsOf(confirmed)).toEqual([]);
  served.tick();
  expect(await client.notificationsOf(confirmed)).toMatchObject(expected);
  served.tick(30);
  const airdrop = await client.notificationsOf(finalized);
  expect(airdrop).toMatchObject([{ context: { slot: 32 } }]);
  served.tick();
  expect(await client.notificationsOf(finalized)).toEqual([
    ...airdrop,
    ...(await client.notificationsOf(confirmed)),
  ]);
  expect(await client.notificationsOf(processed)).toEqual(await client.notificationsOf(confirmed));
});

test('all leaves votes out, allWithVotes does not', async () => {
  const served = await serveLedger();
  const wallet = await fundedWallet(served);
  const client = await served.connect();
  const all = await client.subscribe('logsSubscribe', 'all', { commitment: 'processed' });
  const votes = await client.subscribe('logsSubscribe', 'allWithVotes', { commitment: 'processed' });
  const vote = new TransactionInstruction({
    programId: VOTE_PROGRAM,
    keys: [],
    data: Buffer.from([2, 0, 0, 0]),
  });
  const signature = await sendNow(served, signed(served, [wallet], vote));
  const other = await sendNow(served, signed(served, [wallet], memo('no vote')));
  expect(await client.notificationsOf(all)).toMatchObject([{ value: { signature: other } }]);
  expect(await client.notificationsOf(votes)).toMatchObject([
    { value: { signature } },
    { value: { signature: other } },
  ]);
});

test('exactly one valid address can be mentioned', async () => {
  const client = await (await serveLedger()).connect();
  const address = Keypair.generate().publicKey.toBase58();
  const refused = async (mentions: readonly string[]) =>
    (await client.refusal('logsSubscribe', { mentions })).message;
  expect(await refused([address, address])).toBe('Invalid Request: Only 1 address supported');
  expect(await refused([])).toBe('Invalid Request: Only 1 address supported');
  expect(await refused(['abc'])).toBe('Invalid Request: Invalid mentions provided');
});
