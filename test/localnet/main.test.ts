import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from '../../src/base/eventually.ts';
import { freePortPair } from '../support/free-port-pair.ts';
import { startNode } from '../support/node-process.ts';

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
  expect(await slotAt(Number(line))).toBeGreaterThanOrEqual(32);
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
