import type { Address, Signature } from '@solana/kit';
import { getAddMemoInstruction, LEGACY_MEMO_PROGRAM_ADDRESS_V3 } from '@solana-program/memo';
import { beforeAll, expect, test } from 'vitest';
import { CONSENSUS } from '../../support/test-ledger.ts';
import { fundedSigner, landed, newAddress, rpc, SOL, send, signed, transfer } from './client.ts';

let recipient: Address;
/** In the order they were sent; the third one fails. */
let sent: readonly Signature[];

beforeAll(async () => {
  const payer = await fundedSigner(10n * SOL);
  recipient = await newAddress();
  const first = await send(await signed(payer, [transfer(payer, recipient, SOL)]));
  const memo = getAddMemoInstruction(
    { memo: 'for the rent' },
    { programAddress: LEGACY_MEMO_PROGRAM_ADDRESS_V3 },
  );
  const second = await send(await signed(payer, [memo, transfer(payer, recipient, SOL)]));
  const third = await send(await signed(payer, [transfer(payer, recipient, 1000n * SOL)]), {
    skipPreflight: true,
  });
  sent = [first, second, third];
  await Promise.all(sent.map((signature) => landed(signature)));
});

async function signaturesOf(
  config: { before?: Signature; until?: Signature; limit?: number } = {},
): Promise<readonly Signature[]> {
  return (await rpc.getSignaturesForAddress(recipient, config).send()).map(({ signature }) => signature);
}

test('all transactions of an address come newest first, failed ones too', async () => {
  expect(await signaturesOf()).toEqual([sent[2], sent[1], sent[0]]);
});

test('limit, before and until cut the list, both bounds excluded', async () => {
  const [first, second, third] = sent;
  if (!(first && second && third)) throw new Error('three were sent');
  expect(await signaturesOf({ limit: 2 })).toEqual([third, second]);
  expect(await signaturesOf({ before: third })).toEqual([second, first]);
  expect(await signaturesOf({ until: first })).toEqual([third, second]);
  expect(await signaturesOf({ before: third, until: first })).toEqual([second]);
  expect(await signaturesOf({ before: third, limit: 1 })).toEqual([second]);
});

test('an entry tells slot, time, error and memo', async () => {
  const [third, second, first] = await rpc.getSignaturesForAddress(recipient).send();
  expect(first).toMatchObject({
    err: null,
    memo: null,
    confirmationStatus: CONSENSUS === 'tower' ? 'confirmed' : 'finalized',
  });
  expect(second).toMatchObject({ err: null, memo: '[12] for the rent' });
  expect(third).toMatchObject({ err: { InstructionError: [0n, { Custom: 1n }] }, memo: null });
  const now = BigInt(Math.floor(Date.now() / 1000));
  expect(first?.blockTime).toBeGreaterThan(now - 120n);
  expect(first?.blockTime).toBeLessThanOrEqual(now + 2n);
});
