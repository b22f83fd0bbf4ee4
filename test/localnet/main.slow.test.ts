import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { startLocalnet } from '../support/keyslot.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { useNewDirectory } from '../support/new-directory.ts';
import { startNode } from '../support/node-process.ts';

const directory = useNewDirectory();
const SYSTEM = '11111111111111111111111111111111';
const LOADED = 'So11111111111111111111111111111111111111113';
const MAIN = 'src/localnet/main.ts';
const EXEC = fileURLToPath(new URL('../../node_modules/node/bin/node', import.meta.url));

async function slotAt(port: number): Promise<number> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'getSlot',
    params: [{ commitment: 'processed' }],
  });
  const response = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return ((await response.json()) as { result: number }).result;
}

test('as a child it announces its port, lets slots pass, and ends when its parent is gone', async () => {
  const child = fork(
    fileURLToPath(new URL(`../../${MAIN}`, import.meta.url)),
    ['--rpc-port', '0', '--slot-ms', '20'],
    { execPath: EXEC, silent: true },
  );
  const [message] = (await once(child, 'message')) as [{ kind: string; port: number }];
  expect(message.kind).toBe('ready');
  const first = await slotAt(message.port);
  await eventually('slots pass', async () => ((await slotAt(message.port)) >= first + 5 ? true : undefined));
  child.disconnect();
  expect(await once(child, 'exit')).toEqual([0, null]);
});

test('alone it prints where it serves, and ends on SIGTERM without an error', async () => {
  const node = startNode([MAIN, '--rpc-port', '0'], {});
  const line = await eventually(
    'the address is printed',
    () => node.stdout().match(/RPC +http:\/\/127\.0\.0\.1:(\d+)/)?.[1],
  );
  expect(await slotAt(Number(line))).toBeGreaterThanOrEqual(1);
  expect(node.stdout()).toContain(`WebSocket ws://127.0.0.1:${line}\n`);
  await node.stop();
  expect([node.ended(), node.stderr()]).toEqual(['exit code 0', '']);
});

test('where a port is asked for, WebSocket is on the next one too', async () => {
  const port = await freePortPair();
  const node = startNode([MAIN, '--rpc-port', String(port)], {});
  await eventually('the addresses are printed', () =>
    node.stdout().includes('Identity') ? true : undefined,
  );
  expect(node.stdout()).toContain(`WebSocket ws://127.0.0.1:${port}, ws://127.0.0.1:${port + 1}\n`);
  await node.stop();
});

test('flags of a start script that have no effect are named in one line, with the reason', async () => {
  const flags = ['--rpc-pubsub-enable-vote-subscription', '--gossip-port', '8001'];
  const command = ['src/main.ts', 'localnet', '--rpc-port', '0', ...flags];
  const node = startNode(command, {});
  await eventually('the addresses are printed', () =>
    node.stdout().includes('Identity') ? true : undefined,
  );
  await node.stop();
  expect(node.stderr()).toBe(
    'localnet: accepted without effect: --gossip-port (it has no gossip), --rpc-pubsub-enable-vote-subscription (voteSubscribe is always on)\n',
  );
  const quiet = startNode([...command, '--quiet', '--json'], {});
  await eventually('the port is printed', () => (quiet.stdout().includes('ready') ? true : undefined));
  await quiet.stop();
  expect(quiet.stderr()).toBe('');
});

test('a fork says of what, without the address of the node', async () => {
  const cassette = join(directory(), 'fork.cassette');
  const genesisHash = 'CjChS1cqMgVvJdeoeFBrZgtCg4FrajB4FDaXfqQvK3Qq';
  writeFileSync(cassette, `${JSON.stringify({ format: 'keyslot cassette 1', genesisHash, slot: 291 })}\n`);
  const node = startNode(['src/main.ts', 'localnet', '--rpc-port', '0', '--cassette', cassette], {});
  await eventually('it is ready', () => (node.stdout().includes('Identity') ? true : undefined));
  expect(node.stdout()).toContain(
    `Fork      of slot 291 of the network with the genesis hash ${genesisHash}, from ${cassette}\n`,
  );
  await node.stop();
});

test('a port that is taken is named', async () => {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as { port: number };
  const node = startNode([MAIN, '--rpc-port', String(port)], {});
  await eventually('it ends', () => node.ended());
  holder.close();
  expect(node.ended()).toBe('exit code 1');
  expect(node.stderr()).toContain(`127.0.0.1:${port}`);
});

test('an option that is no number is named', async () => {
  const node = startNode([MAIN, '--slot-ms', 'fast'], {});
  await eventually('it ends', () => node.ended());
  expect(node.stderr()).toBe('localnet: localnet: --slot-ms fast is not a whole number from 10 to 60000\n');
});

test('the command loads accounts, prints nothing when quiet, and logs transactions', async () => {
  const account = { lamports: 5, data: ['', 'base64'], owner: SYSTEM, executable: false, rentEpoch: 0 };
  const path = join(directory(), 'a.json');
  writeFileSync(path, JSON.stringify({ pubkey: LOADED, account }));
  const port = await freePortPair();
  const flags = [
    '--rpc-port',
    String(port),
    '--account',
    '-',
    path,
    '-q',
    '--log',
    '--slots-per-epoch',
    '32',
  ];
  const node = startNode(['src/main.ts', 'localnet', ...flags], {});
  const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}`, { method: 'POST', headers, body });
    return ((await response.json()) as { result: unknown }).result;
  };
  await eventually('it answers', () => ask('getHealth', []).catch(() => undefined));
  expect(await ask('getBalance', [LOADED])).toMatchObject({ value: 5 });
  expect(await ask('getEpochInfo', [])).toMatchObject({ slotsInEpoch: 32 });
  expect(node.stdout()).toBe('');
  const signature = await ask('requestAirdrop', [LOADED, 1_000_000]);
  await eventually('it is logged', () =>
    node.stdout().includes(`  ${signature}  ok  (fee 5000, 150 units)\n`) ? true : undefined,
  );
  expect(node.stdout()).toContain(`    Program ${SYSTEM} success\n`);
  await node.stop();
});

test.each(['--ledger', '--snapshot-dir'])(
  '%s below a directory that takes none ends the command with the name of the option',
  async (option) => {
    const node = startNode(['src/main.ts', 'localnet', '--rpc-port', '0', option, '/proc/keyslot/x'], {});
    await eventually('it ends', () => node.ended());
    expect(node.ended()).toBe('exit code 2');
    expect(node.stderr()).toMatch(
      new RegExp(`^keyslot: localnet: ${option}: /proc/keyslot/x cannot be \\w+ \\(ENOENT\\)\n$`),
    );
  },
);

test('a bad account file ends the command with its name', async () => {
  const path = join(directory(), 'a.json');
  writeFileSync(path, '{}');
  const node = startNode(['src/main.ts', 'localnet', '--rpc-port', '0', '--account', '-', path], {});
  await eventually('it ends', () => node.ended());
  expect([node.ended(), node.stderr()]).toEqual([
    'exit code 2',
    `keyslot: localnet: --account: ${path} is not an account: the account is not an object\n`,
  ]);
});

test.each([
  ['by default the blocks of an idle ledger are empty', [], 0],
  ['under tower every block holds a vote', ['--consensus', 'tower'], 1],
  ['with --no-votes there are none under tower either', ['--consensus', 'tower', '--no-votes'], 0],
] as const)('%s', async (_, flags, transactions) => {
  const { rpcUrl, stop } = await startLocalnet({ args: ['--slot-ms', '20', ...flags] });
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'getBlock',
    params: [33, { commitment: 'confirmed', maxSupportedTransactionVersion: 0 }],
  });
  const ask = async () => {
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return ((await answer.json()) as { result?: { transactions: readonly unknown[] } }).result;
  };
  const block = await eventually('the block is confirmed', ask);
  expect(block.transactions).toHaveLength(transactions);
  await stop();
});
