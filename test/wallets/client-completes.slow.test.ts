import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createWalletClient } from '../../generated/wallets/client.ts';
import { eventually } from '../../src/core/eventually.ts';
import { type TestAccount, useWalletService } from './use-service.ts';

const service = useWalletService();
const COUNT = 10_000;
const CREDIT = { credit: 100_000_000n };

/**
 * A client of an account, and what resets its connections at the server, as a network does that loses the client. While `losses` are left,
 * that happens as soon as an answer begins.
 */
async function behindProxy(account: TestAccount, { losses = 0 } = {}) {
  const servers = new Set<Socket>();
  const cut = (): void => {
    for (const server of servers) server.resetAndDestroy();
  };
  let left = losses;
  const proxy = createServer((socket) => {
    const server = connect(Number(new URL(service().baseUrl).port), '127.0.0.1');
    servers.add(server);
    server.on('error', () => undefined).on('close', () => socket.destroy());
    socket.on('error', () => undefined).pipe(server);
    if (left-- > 0) server.once('readable', cut);
    else server.pipe(socket);
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    cut();
    proxy.close();
  });
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return { cut, client: createWalletClient({ url, token: account.token }) };
}

/** Resolves when the server has charged for all that the system took of a stream. */
const settled = (account: TestAccount) =>
  eventually('the stream is settled', async () => {
    const now = await account.balance();
    return now.reserved === 0n && now.charged > 0n ? now.charged : undefined;
  });

test('a batch whose connection breaks continues with what it was charged for, without a word to its reader', async () => {
  const account = await service().newAccount(CREDIT);
  const { cut, client } = await behindProxy(account);
  const addresses = new Set<string>();
  const { promise: charged, resolve } = Promise.withResolvers<bigint>();
  for await (const { address } of await client.createWalletBatch({ count: COUNT })) {
    addresses.add(address);
    if (addresses.size !== 300) continue;
    resolve(await settled(account));
    cut();
  }
  expect([addresses.size, await charged]).toEqual([COUNT, 10_000_000n]);
  expect(await account.balance()).toMatchObject({ charged: 10_000_000n, reserved: 0n });
});

test('a tree whose connection breaks continues with its own words', async () => {
  const account = await service().newAccount(CREDIT);
  const { cut, client } = await behindProxy(account);
  const body = { mnemonic_words: 12, accounts: { start: 0, count: COUNT }, format: 'csv' } as const;
  const paths: (string | undefined)[] = [];
  for await (const { derivation_path: path } of await client.createHdWallets(body)) {
    paths.push(path);
    if (paths.length !== 300) continue;
    await settled(account);
    cut();
  }
  expect(paths).toEqual(['m', ...Array.from({ length: COUNT }, (_, x) => `m/44'/501'/${x}'/0'`)]);
  expect(await account.balance()).toMatchObject({ charged: 5_000_000n, reserved: 0n });
});

test('a managed batch whose connection breaks continues behind what came, each wallet once', async () => {
  const account = await service().newAccount(CREDIT);
  const { cut, client } = await behindProxy(account, { losses: 1 });
  const batch = await client.createWalletBatch({ count: COUNT, custody: 'managed', format: 'csv' });
  const ids = new Set<string>();
  for await (const wallet of batch) {
    ids.add(wallet.custody === 'managed' ? wallet.wallet_id : '');
    if (ids.size === 300 || ids.size === 7_000) cut();
  }
  expect([ids.size, batch.count, batch.received]).toEqual([COUNT, COUNT, COUNT]);
  expect(await account.balance()).toMatchObject({ charged: 10_000_000n, reserved: 0n });
});

test('what was not charged because the server saw the connection break is missed', async () => {
  const lines = (count: number): string =>
    Array.from({ length: count }, (_, at) => `{"address":"${at}","custody":"client"}\n`).join('');
  const head = { 'content-type': 'application/jsonl', 'x-wallet-count': '5' };
  const rest = { ...head, 'x-wallet-count': '1' };
  const answers = [new Response(lines(2), { headers: head }), new Response(lines(1), { headers: rest })];
  const client = createWalletClient({
    url: 'http://127.0.0.1:9',
    token: 't',
    fetch: async () => answers.shift() ?? Response.error(),
  });
  const got: string[] = [];
  const read = async () => {
    for await (const { address } of await client.createWalletBatch({ count: 5 })) got.push(address);
  };
  await expect(read()).rejects.toMatchObject({ failure: { kind: 'truncated', expected: 5, received: 3 } });
  expect(got).toHaveLength(3);
});

test('a wallet whose answer is lost comes with the next try, and is charged once', async () => {
  const account = await service().newAccount();
  const { client } = await behindProxy(account, { losses: 1 });
  expect(await client.createWallet({})).toMatchObject({ custody: 'client' });
  expect(await account.balance()).toMatchObject({ charged: 1_000n });
  expect(await account.log()).toEqual(['create ok', 'create replayed']);
});

test('a program that was ended continues with the key and the number of wallets that it has', async () => {
  const account = await service().newAccount(CREDIT);
  const { cut, client } = await behindProxy(account);
  const options = { idempotencyKey: 'order-1' };
  const got: string[] = [];
  for await (const { address } of await client.createWalletBatch({ count: COUNT }, options)) {
    got.push(address);
    if (got.length !== 500) continue;
    await settled(account);
    cut();
    break;
  }
  const again = { ...options, walletsReceived: got.length };
  for await (const { address } of await client.createWalletBatch({ count: COUNT }, again)) got.push(address);
  expect([got.length, new Set(got).size]).toEqual([COUNT, COUNT]);
  expect(await account.balance()).toMatchObject({ charged: 10_000_000n });
});

test('a server that cannot be reached is told at once', async () => {
  const nobody = createServer().listen(0, '127.0.0.1');
  await once(nobody, 'listening');
  const { port } = nobody.address() as AddressInfo;
  nobody.close();
  await once(nobody, 'close');
  const client = createWalletClient({ url: `http://127.0.0.1:${port}`, token: 't' });
  const beganMs = performance.now();
  await expect(client.createWallet({})).rejects.toMatchObject({ failure: { kind: 'network' } });
  expect(performance.now() - beganMs).toBeLessThan(10_000);
});

test('managed wallets are created with the key that was given, or with none', async () => {
  const keys: (string | null)[] = [];
  const client = createWalletClient({
    url: 'http://127.0.0.1:9',
    token: 't',
    fetch: async (_, { headers } = {}) => {
      keys.push(new Headers(headers).get('idempotency-key'));
      return Response.json({});
    },
  });
  await client.createWallet({ custody: 'managed' });
  await client.createHdWallets({ master_wallet_id: 'w_8iUJPsBQGcwe8SGq9nvuTc' });
  await client.createWallet({}, { idempotencyKey: 'mine' });
  await client.createWallet({});
  expect(keys).toEqual([null, null, 'mine', expect.stringMatching(/^[0-9a-f]{32}$/)]);
});
