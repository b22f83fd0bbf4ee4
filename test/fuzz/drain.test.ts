import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { eventually } from '../../src/base/eventually.ts';
import { openServer } from './open-server.ts';

const CLIENTS = 32;
const CALL = '{"jsonrpc":"2.0","id":1,"method":"getSlot"}';
const BATCH = `[${CALL},${CALL}]`;
const REPLY = '{"jsonrpc":"2.0","result":1,"id":1}';

test('a server that is told to stop under load answers every request that it has taken', async () => {
  const server = await openServer();
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const failures: string[] = [];
  let answered = 0;

  const post = (body: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      request(server.keyslot.rpcUrl, { method: 'POST', agent, headers }, (response) => {
        text(response).then(resolve, reject);
      })
        .on('error', reject)
        .end(body);
    });

  /** Asks one thing after another until nobody takes the connection any more. */
  const ask = async (body: string, reply: string): Promise<void> => {
    for (;;) {
      try {
        const answer = await post(body);
        if (answer !== reply) failures.push(answer);
        answered++;
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : error;
        if (code !== 'ECONNREFUSED') failures.push(String(code));
        return;
      }
    }
  };

  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    index % 2 === 0 ? ask(CALL, `${REPLY}\n`) : ask(BATCH, `[${REPLY},${REPLY}]\n`),
  );
  await eventually('the load is on', () => (answered > 500 ? true : undefined), { intervalMs: 5 });
  const before = answered;
  process.kill(server.keyslot.pid, 'SIGTERM');
  await Promise.all(clients);
  agent.destroy();
  await server.close();
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThanOrEqual(before + CLIENTS / 2);
});
