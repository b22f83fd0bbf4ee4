import { once } from 'node:events';
import { CONFIG_INTEGERS } from '../../../generated/config.ts';
import { METHODS } from '../../../generated/ledger/methods.ts';
import { SUBSCRIPTIONS } from '../../../generated/ledger/subscriptions.ts';
import type { HttpServer } from '../../server/http/http-server.ts';
import { startNodeServer } from '../../server/http/node-server.ts';
import { restServiceOf } from '../../server/http/target.ts';
import { answerCall, MockSockets } from './mock-sockets.ts';
import { startStreamMock } from './stream-mock.ts';
import { type MockOptions, readMockOptions } from './mock-options.ts';
import { hasRestMock, type RestMock, startRestMock } from './rest-mock.ts';

export { readMockOptions };

const CLOSE_DEADLINE_MS = 1_000;
/** The mock answers on every path except those of the REST services; its document names the default path of a server. */
const DOCUMENTED_PATH = '/solana-localnet';
/** Interval of new slots: that of the embedded ledger. */
const SLOT_MS = CONFIG_INTEGERS['localnet.slot_ms'].default;

/**
 * Runs the mocks of the ledger, of the stream service and, if Prism is installed, of the wallet and account services until SIGTERM or
 * SIGINT. They keep no state: the same request always gets the same answer.
 *
 * @returns the exit code: 1 if the mock of the REST services ended by itself.
 * @throws ServiceError portTaken, listenFailed.
 */
export async function runMock({ host, port, walletsPort, grpcPort, json }: MockOptions): Promise<number> {
  const stopped = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT')]);
  const urlOf = (at: number): string => `http://${host.includes(':') ? `[${host}]` : host}:${at}`;
  const addressOf = (): string => `${urlOf(server.port)}${DOCUMENTED_PATH}`;
  const sockets = new MockSockets(SLOT_MS, addressOf);
  let rest: RestMock | undefined;
  const server: HttpServer = await startNodeServer(
    async (call) => ({ kind: 'result', json: answerCall(call, addressOf()) }),
    {
      host,
      port,
      portSetting: '--port',
      onUpgrade: sockets.upgrade,
      // A server has all services at one address.
      handlerOf: (path) => (restServiceOf(path) === undefined ? undefined : rest?.handler),
    },
  );
  const closeServer = (): Promise<void> => server.close(CLOSE_DEADLINE_MS);
  const streams = await orClose(startStreamMock(host, grpcPort), closeServer);
  const closeBoth = async (): Promise<void> => {
    streams.close();
    await closeServer();
  };
  if (hasRestMock())
    process.stderr.write(
      'keyslot: starting the mock of the wallet and account services (Prism); this takes a few seconds\n',
    );
  rest = hasRestMock() ? await orClose(startRestMock(host, walletsPort), closeBoth) : undefined;
  const [url, grpcUrl] = [urlOf(server.port), urlOf(streams.port)];
  process.stdout.write(
    json
      ? `${JSON.stringify({ kind: 'ready', port: server.port, url, grpc_url: grpcUrl, wallets_url: rest?.url, account_url: rest?.url })}\n`
      : welcome(url, grpcUrl, rest?.url),
  );
  const wasAsked = await Promise.race([
    stopped.then(() => true),
    ...(rest ? [rest.ended.then(() => false)] : []),
  ]);
  await Promise.all([sockets.close(CLOSE_DEADLINE_MS), rest?.close()]);
  await closeBoth();
  if (wasAsked) return 0;
  process.stderr.write('keyslot: the mock of the wallet and account services has stopped unexpectedly\n');
  return 1;
}

async function orClose<T>(starting: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await starting;
  } catch (error) {
    await close();
    throw error;
  }
}

function welcome(url: string, grpcUrl: string, restUrl: string | undefined): string {
  return `The mock ledger answers ${Object.keys(METHODS).length} methods and ${Object.keys(SUBSCRIPTIONS).length} subscriptions from the examples of the specification, on every path (but /v1 and /account/v1) and without a key.

  JSON-RPC   ${url}
  WebSocket  ${url.replace(/^http/, 'ws')}
  Streams    ${grpcUrl} (gRPC; the example of each topic, once per slot)

${restUrl === undefined ? 'The wallet and account services are not mocked. To add them: npm install @stoplight/prism-cli' : restWelcome(restUrl)}

`;
}

function restWelcome(url: string): string {
  return `The wallet service and the account service answer from the examples too, by Prism, with any token or session; the header Prefer chooses the answer.

  Wallets    ${url}/v1/wallets      Prefer: code=402, example=balance_insufficient
  Account    ${url}/account/v1/keys`;
}
