import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStreamClient, type StreamClient } from '../../../generated/stream/package.ts';
import { STREAM_SOURCE } from '../../../generated/stream/sources.ts';
import { eventually } from '../../../src/core/eventually.ts';
import { type RunningKeyslot, startKeyslot } from '../../support/keyslot.ts';
import { command } from '../../support/wallet-account.ts';

let keyslot: RunningKeyslot;
let client: StreamClient;
beforeAll(async () => {
  keyslot = await startKeyslot({ env: { KEYSLOT_LOCALNET_SLOT_MS: '50' } });
  client = createStreamClient({ url: keyslot.grpcUrl, apiKey: keyslot.apiKey });
});
afterAll(async () => {
  client?.close();
  await keyslot?.stop();
});

const metrics = async (): Promise<string> => (await fetch(`${keyslot.baseUrl}/metrics`)).text();

it('streams slots in order, each with its parent, at the address of dev.json', async () => {
  const got = [];
  for await (const slot of client.subscribe('slots')) {
    got.push(slot);
    if (got.length === 5) break;
  }
  expect(got.map(({ parentSlot }) => parentSlot).slice(1)).toEqual(got.map(({ slot }) => slot).slice(0, 4));
  for (const { rootSlot, slot } of got) expect(rootSlot).toBeLessThanOrEqual(slot);
});

it('streams a transaction to everyone who asks, in every topic that it belongs to', async () => {
  const address = `${'1'.repeat(31)}3`;
  const take = async <T>(stream: AsyncGenerator<T>, isIt: (message: T) => boolean): Promise<T> => {
    for await (const message of stream) if (isIt(message)) return message;
    throw new Error('the stream has ended');
  };
  const told = Promise.all([
    take(client.subscribe('transactions'), ({ accounts }) => accounts.includes(address)),
    take(client.subscribe('account-updates'), (update) => update.address === address),
    take(client.subscribe('blocks'), ({ transactionCount }) => transactionCount > 0),
  ]);
  await eventually('the streams are open', async () => {
    const open = [...(await metrics()).matchAll(/keyslot_streams_open\{.*\} (\d+)/g)];
    return open.reduce((sum, [, count]) => sum + Number(count), 0) === 3 || undefined;
  });
  const call = { jsonrpc: '2.0', id: 1, method: 'requestAirdrop', params: [address, 5_000_000_000] };
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(keyslot.rpcUrl, { method: 'POST', headers, body: JSON.stringify(call) });
  const { result: signature } = (await answer.json()) as { readonly result: string };
  const [transaction, update, block] = await told;
  expect(transaction).toMatchObject({ signature, error: undefined, slot: block.slot });
  expect(transaction.raw.length).toBeGreaterThan(100);
  expect(update).toMatchObject({ signature, previousLamports: 0n, lamports: 5_000_000_000n });
  expect(block.signatures).toContain(signature);
});

it('counts calls and messages for the key, and shows streams in the metrics', async () => {
  const usage = (await command(keyslot.dataDir, { kind: 'usage', sinceMs: 0, by: 'method' })) as unknown as {
    readonly rows: readonly { readonly method: string; readonly calls: number; readonly messages: number }[];
  };
  const rowOf = (name: string) => usage.rows.find(({ method }) => method === name);
  expect(rowOf('Subscribe')?.calls).toBeGreaterThanOrEqual(4);
  expect(rowOf('Subscribe.slots')?.messages).toBeGreaterThanOrEqual(5);
  expect(rowOf('Subscribe.slots')).toMatchObject({ calls: 0, errors: 0, refused: 0, weight: 0 });
  const text = await metrics();
  expect(text).toMatch(/keyslot_stream_messages_total\{network="solana-localnet",topic="slots"\} \d+/);
  expect(text).toMatch(/keyslot_stream_history_slots\{network="solana-localnet"\} [1-9]/);
});

it('has the .proto of the service at /stream.proto', async () => {
  const answer = await fetch(`${keyslot.baseUrl}/stream.proto`);
  expect(answer.headers.get('content-type')).toContain('text/plain');
  expect(await answer.text()).toBe(STREAM_SOURCE);
});

it('revoking the key ends its streams', async () => {
  const { id = '', key = '' } = await command(keyslot.dataDir, ['keys', 'create', '--account', 'acme']);
  const other = createStreamClient({ url: keyslot.grpcUrl, apiKey: key });
  const stream = other.subscribe('slots');
  await stream.next();
  await command(keyslot.dataDir, ['keys', 'revoke', id]);
  const ended = async (): Promise<void> => {
    while (!(await stream.next()).done);
  };
  await expect(ended()).rejects.toMatchObject({ status: 'UNAUTHENTICATED', error: 'apiKeyRevoked' });
  other.close();
});
