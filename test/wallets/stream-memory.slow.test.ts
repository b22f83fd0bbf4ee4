import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
import { settled } from './streams/read-lines.ts';
import { ACCOUNT, type WalletServer } from './open-wallet-server.ts';
import { startWalletServer } from './wallet-server.ts';

const NOT_LINUX = 'the memory of another process is read from /proc, which only Linux has';
const MIB = 1024 * 1024;
/**
 * After these the heap is as large as such work makes it, with any reader: V8 doubles its young generation, by 60 MiB the last time, after
 * some eight. Batches in client custody do not warm up managed ones: memory grew by 33 to 56 MiB after twelve of those and four of these.
 */
const WARM_UP_BATCHES = 16;

type Balance = { readonly reserved_usd: string; readonly operations_this_month: Record<string, number> };

const balanceOf = (server: WalletServer) => server.ask<Balance>({ kind: 'money.balance', account: ACCOUNT });

/** The resident memory of a process, in bytes. */
function residentBytes(pid: number): number {
  const [, kib = ''] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kib) * 1024;
}

/** The bytes that a server has written and its client has not taken yet: they wait in the system, not in the process. */
function waitingBytes({ port }: URL, answer: IncomingMessage): number {
  const ends = [Number(port), answer.socket.localPort ?? 0].map((end) => `:${toHex(end)}`);
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((text) => text.trim().split(/\s+/))
    .find(([, local = '', remote = '']) => local.endsWith(ends[0] ?? '') && remote.endsWith(ends[1] ?? ''));
  return Number.parseInt(line?.[4]?.split(':')[0] ?? '0', 16);
}

const toHex = (port: number): string => port.toString(16).toUpperCase().padStart(4, '0');

/** Asks for a tree as a stream; of the answer only the head is read. */
async function openTree(server: WalletServer, custody: string, count: number): Promise<IncomingMessage> {
  const asked = request(`${server.baseUrl}/v1/wallets/hd`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${server.token}`, 'content-type': 'application/json' },
  });
  asked.on('error', () => undefined);
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  asked.once('response', resolve);
  asked.end(JSON.stringify({ custody, format: 'jsonl', accounts: { start: 0, count } }));
  const answer = await promise;
  answer.on('error', () => undefined);
  onTestFinished(() => void answer.destroy());
  return answer;
}

test.for([
  { custody: 'client', children: 200_000, boundMib: 64 },
  { custody: 'managed', children: 200_000, boundMib: 64 },
])(
  'a reader that stops in a tree of $children wallets in $custody custody holds at most $boundMib MiB of the server, and pays for what it got',
  async ({ custody, children, boundMib }, context) => {
    if (process.platform !== 'linux') return context.skip(NOT_LINUX);
    const server = await startWalletServer();
    for (let batch = 0; batch < WARM_UP_BATCHES; batch += 1)
      await (await server.send('/batch', { count: 10_000, custody })).text();
    const before = residentBytes(server.pid());
    const answer = await openTree(server, custody, children);
    const address = new URL(server.baseUrl);
    await settled(() => waitingBytes(address, answer));
    expect((residentBytes(server.pid()) - before) / MIB).toBeLessThan(boundMib);

    // The server stands still: the client takes all that has left it, and goes.
    process.kill(server.pid(), 'SIGSTOP');
    let text = '';
    answer.on('data', (bytes: Buffer) => {
      text += String(bytes);
    });
    await settled(() => text.length);
    answer.destroy();
    process.kill(server.pid(), 'SIGCONT');
    const received = text.split('\n').length - 2;
    const { operations_this_month: units } = await eventually('what was not sent is given back', async () => {
      const balance = await balanceOf(server);
      return balance.reserved_usd === '0.00' ? balance : undefined;
    });
    expect(units.hd_child_derivation).toBeGreaterThanOrEqual(received);
    expect(units.hd_child_derivation).toBeLessThan(received + 3_000);
  },
);
