import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { eventually } from '../../src/core/eventually.ts';
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

  const post = (body: string): Promise<{ readonly answer: string; readonly isLast: boolean }> =>
    new Promise((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      request(server.keyslot.rpcUrl, { method: 'POST', agent, headers }, (response) => {
        const isLast = response.headers.connection === 'close';
        text(response).then((answer) => resolve({ answer, isLast }), reject);
      })
        .on('error', reject)
        .end(body);
    });

  /** Asks one thing after another until an answer says that the connection ends with it. One that was not accepted may be reset. */
  const ask = async (body: string, reply: string): Promise<void> => {
    for (let isOver = false; !isOver; ) {
      try {
        const { answer, isLast } = await post(body);
        if (answer !== reply) failures.push(answer);
        answered++;
        isOver = isLast;
      } catch (error) {
        failures.push(String(error instanceof Error && 'code' in error ? error.code : error));
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
  const refused = (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? true : undefined);
  await eventually('it is gone', () => post(CALL).then(() => undefined, refused));
  agent.destroy();
  await server.close();
  expect(failures).toEqual([]);
  expect(answered).toBeGreaterThanOrEqual(before + CLIENTS / 2);
});
