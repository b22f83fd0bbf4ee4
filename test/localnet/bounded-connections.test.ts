import { expect, onTestFinished, test } from 'vitest';
import { startRpcServer } from '../../src/localnet/serve-ledger.ts';
import { openSocket } from '../support/socket-client.ts';
import { openIdleClients } from '../support/idle-clients.ts';
import { newLedger } from './new-ledger.ts';

async function start(maxConnections: number) {
  const connections = { maxConnections };
  const server = await startRpcServer(newLedger().ledger, { host: '127.0.0.1', port: 0, connections });
  onTestFinished(() => server.close(100));
  return server;
}

const health = (port: number): Promise<number> =>
  fetch(`http://127.0.0.1:${port}/health`, { headers: { connection: 'close' } }).then(({ status }) => status);

test('idle strangers make room at the embedded ledger', async () => {
  const { port } = await start(20);
  await openIdleClients(port, 500);
  expect(await health(port)).toBe(200);
});

test('so do WebSockets without a subscription, with a close code; one that has one stays', async () => {
  const { port } = await start(3);
  const subscribed = await openSocket(`ws://127.0.0.1:${port}`);
  await subscribed.call('slotSubscribe');
  const idle = [await openSocket(`ws://127.0.0.1:${port}`), await openSocket(`ws://127.0.0.1:${port}`)];
  expect(await health(port)).toBe(200);
  expect(await Promise.race(idle.map(({ closed }) => closed))).toMatchObject({ code: 1013 });
  expect((await subscribed.call('getHealth')).result).toBe('ok');
  for (const socket of [subscribed, ...idle]) socket.close();
});
