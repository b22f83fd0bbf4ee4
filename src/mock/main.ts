import { once } from 'node:events';
import { METHODS } from '../../generated/ledger/methods.ts';
import type { HttpServer } from '../server/http/http-server.ts';
import { startNodeServer } from '../server/http/node-server.ts';
import { hasWalletMock, startWalletMock, type WalletMock } from './wallet-mock.ts';
import { answerCall } from './answer-call.ts';
import { type MockOptions, readMockOptions } from './mock-options.ts';

export { readMockOptions };

const CLOSE_DEADLINE_MS = 1_000;

/**
 * Runs the mock ledger, and the mock of the wallet service where it is installed, until SIGTERM or SIGINT. They keep nothing: the
 * same request is answered the same, always.
 *
 * @returns the exit code: 1 if the wallet mock ended by itself.
 * @throws ServiceError portTaken, listenFailed.
 */
export async function runMock({ host, port, walletsPort, json }: MockOptions): Promise<number> {
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const server = await startNodeServer(async (call) => ({ kind: 'result', json: answerCall(call) }), {
    host,
    port,
    portSetting: '--port',
  });
  const wallets = hasWalletMock() ? await orClose(startWalletMock(host, walletsPort), server) : undefined;
  const url = `http://${host.includes(':') ? `[${host}]` : host}:${server.port}`;
  process.stdout.write(
    json
      ? `${JSON.stringify({ kind: 'ready', port: server.port, url, wallets_url: wallets?.url })}\n`
      : welcome(url, wallets?.url),
  );
  const wasAsked = await Promise.race([
    stopped.then(() => true),
    ...(wallets ? [wallets.ended.then(() => false)] : []),
  ]);
  await Promise.all([server.close(CLOSE_DEADLINE_MS), wallets?.close()]);
  if (wasAsked) return 0;
  process.stderr.write('keyslot: the wallet mock ended by itself\n');
  return 1;
}

async function orClose(starting: Promise<WalletMock>, server: HttpServer): Promise<WalletMock> {
  try {
    return await starting;
  } catch (error) {
    await server.close(CLOSE_DEADLINE_MS);
    throw error;
  }
}

function welcome(url: string, walletsUrl: string | undefined): string {
  return `The mock ledger answers ${Object.keys(METHODS).length} methods from the examples of the specification, on every path and without a key.

  JSON-RPC   ${url}

${walletsUrl === undefined ? 'The wallet service has no mock here: it comes with a checkout.' : walletWelcome(walletsUrl)}

`;
}

function walletWelcome(url: string): string {
  return `The wallet service answers from the examples too, by Prism, with any token; its header Prefer chooses the answer.

  Wallets    ${url}/v1/wallets      Prefer: code=402, example=balance_insufficient`;
}
