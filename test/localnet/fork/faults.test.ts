import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Keypair } from '@solana/web3.js';
import { expect, onTestFinished, test } from 'vitest';
import { callNodeAt } from '../../../src/localnet/fork/call-node.ts';
import { Cassette } from '../../../src/localnet/fork/cassette.ts';
import { openFork } from '../../../src/localnet/fork/open-fork.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { forked, KEY, sourceNode } from './source-node.ts';

const directory = useNewDirectory();
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const error = (message: string) => ({
  status: 200,
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32010, message } }),
});

test('the one account that the node refuses is named with what it said, and the others are not lost', async () => {
  const source = await sourceNode();
  const { refusal, call } = await forked({ url: source.url });
  const addresses = Array.from({ length: 8 }, newAddress);
  const [bad = ''] = addresses.slice(5);
  source.failBy(({ method, params }) =>
    method === 'getMultipleAccounts' && (params[0] as string[]).includes(bad)
      ? error(`excluded for ${KEY}2`)
      : undefined,
  );
  const { message, code } = await refusal('getMultipleAccounts', addresses);
  expect(code).toBe('forkFailed');
  expect(message).toBe(
    `Fork: the account ${bad} cannot be fetched from ${source.host}: it answered "excluded for [hidden]" (-32010)`,
  );
  source.failBy(() => undefined);
  expect((await call('getMultipleAccounts', addresses)).value).toHaveLength(8);
});

test.each([
  [403, 'no', /^Fork: the account \w+ cannot be fetched from [\d.:]+: it answered with HTTP status 403$/],
  [200, 'text', /its answer is not JSON$/],
  [200, '{}', /its answer is not JSON-RPC$/],
  [200, '{"result":{"value":[]}}', /its answer does not match getMultipleAccounts$/],
  [200, '{"result":{"value":[null]}}', /its answer names no slot$/],
  [
    200,
    '{"result":{"value":[{"lamports":"x"}]}}',
    /its account \w+ cannot be read: lamports is not a 64-bit/,
  ],
])('an answer of %i %s is told, and the next read asks again', async (status, body, told) => {
  const source = await sourceNode();
  const { refusal, call } = await forked({ url: source.url });
  const address = newAddress();
  source.failBy(() => ({ status, body }));
  const { message } = await refusal('getBalance', address);
  expect(message).toMatch(told);
  expect(message).not.toContain(KEY);
  source.failBy(() => undefined);
  expect(await call('getBalance', address)).toMatchObject({ value: 0n });
});

test('a busy node is asked three times', async () => {
  const source = await sourceNode();
  const { call, refusal } = await forked({ url: source.url });
  source.calls.length = 0;
  let busy = 2;
  source.failBy(() => (busy-- > 0 ? { status: 429, body: '' } : undefined));
  expect(await call('getBalance', newAddress())).toMatchObject({ value: 0n });
  busy = 3;
  expect((await refusal('getBalance', newAddress())).message).toMatch(/HTTP status 429$/);
  expect(source.calls).toHaveLength(6);
});

test('a deadline and a bound hold for each answer, and an address may have a user', async () => {
  const seen: (string | undefined)[] = [];
  const node = createServer((request, response) => {
    seen.push(request.headers.authorization);
    if (request.url === '/long') response.end('x'.repeat(100));
  }).listen(0, '127.0.0.1');
  await once(node, 'listening');
  onTestFinished(() => {
    node.closeAllConnections();
    node.close();
  });
  const { port } = node.address() as AddressInfo;
  const ask = (path: string, deadlineMs: number) => {
    const limits = { deadlineMs, maxAnswerBytes: 99, attempts: 1 };
    return callNodeAt(new URL(`http://user:pass@127.0.0.1:${port}/${path}`), limits)('getSlot', []);
  };
  expect(await ask('silent', 50)).toMatchObject({ reason: 'it did not answer within 0.05 seconds' });
  expect(await ask('long', 10_000)).toMatchObject({
    reason: 'its answer is longer than 99 bytes',
    mayBeSmaller: true,
  });
  expect(seen.at(-1)).toBe(`Basic ${Buffer.from('user:pass').toString('base64')}`);
});

test('a node of another network than the cassette is refused by name', async () => {
  const [source, other] = [await sourceNode(), await sourceNode({ nowMs: () => 1_700_000_000_000 })];
  const cassette = join(directory(), 'a.cassette');
  const first = await forked({ url: source.url, cassette });
  await first.call('getBalance', newAddress());
  await first.fork.close();
  const { refusal } = await forked({ url: other.url, cassette });
  expect((await refusal('getBalance', newAddress())).message).toContain(
    `it is a node of another network, with the genesis hash ${await other.call('getGenesisHash')}; this fork is of ${await source.call('getGenesisHash')}`,
  );
});

test('what does not fit into a fork is named with the limit', () => {
  const [one, two] = [newAddress(), newAddress()];
  const origin = { genesisHash: newAddress(), slot: 1n };
  const small = new Cassette(origin, { accounts: 1, bytes: 1_000 });
  small.record({ address: one, account: undefined });
  small.record({ address: one, account: undefined });
  expect(() => small.record({ address: two, account: undefined })).toThrow(
    `Fork: the account ${two} does not fit: a fork has at most 1 accounts of the node and 1000 bytes of them`,
  );
  const account = { lamports: 1n, data: new Uint8Array(900), owner: one, executable: false, rentEpoch: 0n };
  const narrow = new Cassette(origin, { accounts: 2, bytes: 1_000 });
  expect(() => narrow.record({ address: two, account })).toThrow(`the account ${two} does not fit`);
  narrow.recordList('["a"]', [one]);
  expect(() =>
    narrow.recordList(
      '["b"]',
      Array.from({ length: 100 }, () => one),
    ),
  ).toThrow('Fork: the list ["b"] does not fit: a fork has at most 1000 bytes of the node');
});

test('what cannot be opened is told, without the address of the node', async () => {
  const open = (url: string | undefined, cassette?: string) =>
    openFork({ given: { url, cassette }, stored: undefined, warn: () => undefined });
  const path = join(directory(), 'a.cassette');
  await expect(open(undefined, path)).rejects.toThrow(
    `--cassette: ${path} does not exist; --fork URL records it`,
  );
  await expect(open('nonsense')).rejects.toThrow(
    'localnet: --fork: expected an address or one of mainnet-beta',
  );
  const source = await sourceNode();
  source.failBy(() => error(`bad ${KEY}`));
  await expect(open(source.url)).rejects.toThrow(
    `localnet: --fork: ${source.host} does not answer getGenesisHash: it answered "bad [hidden]" (-32010)`,
  );
  const head = JSON.stringify({ format: 'keyslot cassette 1', genesisHash: newAddress(), slot: 5 });
  for (const [text, reason] of [
    ['', 'its first line does not name the format "keyslot cassette 1"'],
    ['{"format":"keyslot cassette 2"}\n', 'its first line does not name'],
    ['{"format":"keyslot cassette 1"}\n', 'line 1: expected genesisHash and slot'],
    [`${head}\n{"account":"x"}\n`, 'line 2: it is neither an account nor a list of addresses'],
    [`${head}\n{"account":"${newAddress()}","absent":true}\n{"acc`, 'line 3: it is not a JSON object'],
    [`${head}\n{"account":"${newAddress()}","lamports":-1}\n`, 'line 2: lamports is not a 64-bit integer'],
  ]) {
    writeFileSync(path, text ?? '');
    await expect(open(undefined, path)).rejects.toThrow(`--cassette: ${path} is not a cassette: ${reason}`);
  }
});
