import { once } from 'node:events';
import { METHODS } from '../../generated/ledger/methods.ts';
import { startNodeServer } from '../server/http/node-server.ts';
import { answerCall } from './answer-call.ts';
import { type MockOptions, readMockOptions } from './mock-options.ts';

export { readMockOptions };

const CLOSE_DEADLINE_MS = 1_000;

/**
 * Runs the mock ledger until SIGTERM or SIGINT. It keeps nothing: the same call is answered the same, always.
 *
 * @throws ServiceError portTaken, listenFailed.
 */
export async function runMock({ host, port, json }: MockOptions): Promise<void> {
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const server = await startNodeServer(async (call) => ({ kind: 'result', json: answerCall(call) }), {
    host,
    port,
    portSetting: '--port',
  });
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  process.stdout.write(
    json ? `${JSON.stringify({ kind: 'ready', port: server.port, url })}\n` : welcome(url),
  );
  await stopped;
  await server.close(CLOSE_DEADLINE_MS);
}

function welcome(url: string): string {
  return `The mock ledger answers ${Object.keys(METHODS).length} methods from the examples of the specification, on every path and without a key.

  JSON-RPC   ${url}

`;
}
