import { lamports } from '@solana/kit';
import { expect, test } from 'vitest';
import { CONSENSUS } from '../../support/test-ledger.ts';
import { balanceOf, landed, newAddress, rpc } from './client.ts';

test('an airdrop arrives to the last lamport once getSignatureStatuses says confirmed', async () => {
  const recipient = await newAddress();
  const signature = await rpc.requestAirdrop(recipient, lamports(2_000_000_123n)).send();
  const { slot, err } = await landed(signature);
  expect(err).toBeNull();
  expect(slot).toBeTypeOf('bigint');
  expect(await balanceOf(recipient)).toBe(2_000_000_123n);
});

test('a status counts confirmations until the transaction is finalized, then has none', async () => {
  const signature = await rpc.requestAirdrop(await newAddress(), lamports(1_000_000_000n)).send();
  const { slot } = await landed(signature);
  const { value, context } = await rpc.getSignatureStatuses([signature]).send();
  expect(value[0]).toMatchObject({ slot, err: null, status: { Ok: null } });
  if (CONSENSUS === 'tower') {
    expect(value[0]?.confirmationStatus).toBe('confirmed');
    expect(value[0]?.confirmations).toBeGreaterThanOrEqual(1n);
    expect(value[0]?.confirmations).toBeLessThanOrEqual(32n);
  } else expect(value[0]).toMatchObject({ confirmationStatus: 'finalized', confirmations: null });
  expect(context.slot).toBeGreaterThan(slot);

  await landed(signature, 'finalized');
  const later = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send();
  expect(later.value[0]).toMatchObject({
    slot,
    err: null,
    confirmations: null,
    confirmationStatus: 'finalized',
  });
});

test('the status of a signature that was never sent is null', async () => {
  const signature = await rpc.requestAirdrop(await newAddress(), lamports(1_000_000_000n)).send();
  const never = '5'.repeat(87) as typeof signature;
  const { value } = await rpc
    .getSignatureStatuses([never, signature], { searchTransactionHistory: true })
    .send();
  expect(value).toHaveLength(2);
  expect(value[0]).toBeNull();
});
