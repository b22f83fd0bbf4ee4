import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { Keypair, PublicKey, TransactionInstruction } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startRpcServer } from '../../../src/localnet/serve-ledger.ts';
import { readClusterUrl } from '../../../src/localnet/genesis-options/cluster-url.ts';
import { useNewDirectory } from '../../support/new-directory.ts';
import { newLedger, type TestLedger } from '../new-ledger.ts';
import { fundedWallet, landed, sendNow, signed } from '../transactions.ts';
import { read, writeProgram } from './files.ts';

const directory = useNewDirectory('group');
const newAddress = (): string => Keypair.generate().publicKey.toBase58();
const PROGRAM = newAddress();
let origin: TestLedger;
let server: Awaited<ReturnType<typeof startRpcServer>>;
let url: string;

beforeAll(async () => {
  const lists = { 'bpf-program': [PROGRAM, writeProgram(directory())] };
  origin = newLedger({ additions: await read({ lists }) });
  server = await startRpcServer(origin.ledger, { host: '127.0.0.1', port: 0 });
  url = `http://127.0.0.1:${server.port}/?apikey=hidden`;
});
afterAll(() => server.close(1000));

test('accounts and programs of a node are there in the new ledger', async () => {
  const { address } = origin.ledger.genesis.identity;
  const absent = newAddress();
  const lists = { clone: [address], 'maybe-clone': [absent], 'clone-upgradeable-program': [PROGRAM] };
  const copy = newLedger({ additions: await read({ lists, url }) });
  expect((await copy.call('getBalance', address)).value).toBe(
    (await origin.call('getBalance', address)).value,
  );
  expect((await copy.call('getBalance', absent)).value).toBe(0n);
  const wallet = await fundedWallet(copy);
  const call = new TransactionInstruction({
    programId: new PublicKey(PROGRAM),
    keys: [],
    data: Buffer.from('hi'),
  });
  expect(await landed(copy, await sendNow(copy, signed(copy, [wallet], call)))).toMatchObject({ err: null });
});

test('what the node does not have is named, and the query of its address is not', async () => {
  const absent = newAddress();
  const { host } = new URL(url);
  for (const option of ['clone', 'clone-upgradeable-program']) {
    const reading = read({ lists: { [option]: [absent] }, url });
    await expect(reading).rejects.toThrow(`localnet: --${option}: ${host} has no account ${absent}`);
  }
  const wallet = origin.ledger.genesis.identity.address;
  await expect(read({ lists: { 'clone-upgradeable-program': [wallet] }, url })).rejects.toThrow(
    `${wallet} is not an upgradeable program`,
  );
  await expect(read({ lists: { clone: [wallet] } })).rejects.toThrow('give its address with --url');
});

test.each([
  [403, '', 'it answered with HTTP status 403'],
  [200, 'text', 'its answer is not JSON'],
  [200, '{"result":{"value":[]}}', 'its answer does not match getMultipleAccounts'],
  [200, '{"error":{"message":"no"}}', 'it answered "no"'],
  [200, '{"result":{"value":[{"lamports":"x"}]}}', 'cannot be read: lamports is not a 64-bit integer'],
])('a node that answers %i %s is told by its host alone', async (status, body, reason) => {
  const node = createServer((_request, response) => response.writeHead(status).end(body)).listen(
    0,
    '127.0.0.1',
  );
  await once(node, 'listening');
  const { port } = node.address() as AddressInfo;
  const reading = read({
    lists: { clone: [newAddress()] },
    url: `http://127.0.0.1:${port}/hidden?key=hidden`,
  });
  const error: unknown = await reading.catch((thrown: unknown) => thrown);
  node.close();
  expect(String(error)).toContain(`accounts cannot be cloned from 127.0.0.1:${port}: `);
  expect(String(error)).toContain(reason);
  expect(String(error)).not.toContain('hidden');
});

test('a node that is not there is told by its host', async () => {
  const node = createServer().listen(0, '127.0.0.1');
  await once(node, 'listening');
  const { port } = node.address() as AddressInfo;
  node.close();
  await once(node, 'close');
  await expect(read({ lists: { clone: [newAddress()] }, url: `http://127.0.0.1:${port}` })).rejects.toThrow(
    `127.0.0.1:${port}: it cannot be reached (ECONNREFUSED)`,
  );
});

test('clusters have the names that the Solana command line gives them', () => {
  for (const [text, host] of [
    ['m', 'api.mainnet-beta.solana.com'],
    ['devnet', 'api.devnet.solana.com'],
    ['t', 'api.testnet.solana.com'],
    ['l', '127.0.0.1:8899'],
    ['http://node.example:1', 'node.example:1'],
  ] as const)
    expect(readClusterUrl('--url', text).host).toBe(host);
  for (const bad of ['x', 'ftp://node.example'])
    expect(() => readClusterUrl('--url', bad)).toThrow('--url: expected');
});
