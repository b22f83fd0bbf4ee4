import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** Says of the body of an answer how it is to be. */
export type ChangeAnswer = (text: string, request: Pick<IncomingMessage, 'method' | 'url'>) => string;

/** Headers that are of one connection, or of the body as it was. */
const OWN = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'host', 'expect'];
/** It decodes answers. */
const OF_ANSWERS = [...OWN, 'content-encoding'];

/** Serves what a wallet service serves, with other bodies. */
export async function startWalletProxy(
  target: string,
  change: ChangeAnswer,
): Promise<{ readonly url: string; readonly stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const { method = 'GET', url = '/' } = request;
    const exchange = async (): Promise<void> => {
      const headers = Object.entries(request.headers).filter(([name]) => !OWN.includes(name));
      const answer = await fetch(`${target}${url}`, {
        method,
        headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
        ...(method === 'POST' && { body: await buffer(request) }),
      });
      const text = change(await answer.text(), request);
      response.writeHead(
        answer.status,
        Object.fromEntries([...answer.headers].filter(([name]) => !OF_ANSWERS.includes(name))),
      );
      response.end(text);
    };
    exchange().catch(() => response.destroy());
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise<void>((done) => server.close(() => done()));
    },
  };
}
