import { Keypair } from '@solana/web3.js';
import { expect, test } from 'vitest';
import { eventually } from '../../../src/core/eventually.ts';
import { SOL } from '../transactions.ts';
import { serveLedger } from './serve-ledger.ts';

const LANDING_DELAY_MS = 30;

test('a subscription in the same packet as a transaction receives it', async () => {
  const { connect, tick } = await serveLedger({}, { landingDelayMs: LANDING_DELAY_MS });
  const client = await connect();
  const address = Keypair.generate().publicKey.toBase58();
  const level = { commitment: 'processed' };
  const calls = [
    ['requestAirdrop', [address, Number(SOL)]],
    ['logsSubscribe', [{ mentions: [address] }, level]],
    ['accountSubscribe', [address, level]],
  ] as const;
  const batch = calls.map(([method, params]) => ({ jsonrpc: '2.0', id: method, method, params }));
  for (const message of batch) client.socket.send(JSON.stringify(message));
  const told = (wanted: string) =>
    eventually(`${wanted} is told`, () => client.notifications().find(({ method }) => method === wanted));
  const { params } = await told('logsNotification');
  const signature = client.replies().find(({ id }) => id === 'requestAirdrop')?.result;
  expect(params.result).toMatchObject({ value: { signature, err: null } });
  tick();
  expect((await told('accountNotification')).params.result).toMatchObject({
    value: { lamports: Number(SOL) },
  });
});

test('a transaction has no status until it lands; airdrops that are on their way are told apart', async () => {
  const { call } = await serveLedger({}, { landingDelayMs: LANDING_DELAY_MS });
  const address = Keypair.generate().publicKey.toBase58();
  const signatures = await Promise.all([1, 2, 3].map(() => call('requestAirdrop', address, SOL)));
  expect(new Set(signatures).size).toBe(3);
  expect((await call('getSignatureStatuses', signatures)).value).toEqual([null, null, null]);
  await eventually(
    'all have landed',
    async () =>
      (await call('getSignatureStatuses', signatures)).value.every((status) => status?.err === null) ||
      undefined,
  );
  expect((await call('getBalance', address, { commitment: 'processed' })).value).toBe(3n * SOL);
});
