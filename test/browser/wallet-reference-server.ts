import { createServer, type IncomingHttpHeaders, request as ask } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createDocs } from '../../src/server/docs/docs-routes.ts';

export type WalletReferenceServer = {
  readonly baseUrl: string;
  /** What the wallet service was asked, in turn. */
  readonly asked: readonly Asked[];
  readonly close: () => Promise<void>;
};

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
};

/** Serves the reference page, and a wallet service of the test's own below `/v1/`, at one address. */
export async function startWalletReference(walletsUrl: string): Promise<WalletReferenceServer> {
  const docs = createDocs({ readLedgerDocument: () => '{"servers":[],"tags":[],"paths":{}}' });
  const asked: Asked[] = [];
  const server = createServer((incoming, outgoing) => {
    const { url: path = '', method = '', headers } = incoming;
    const handler = docs.get(path.split('?')[0] ?? '');
    if (handler !== undefined) return void handler(incoming, outgoing);
    asked.push({ method, path, headers });
    const onward = ask(`${walletsUrl}${path}`, { method, headers }, (answer) => {
      const { 'content-disposition': saved, ...rest } = answer.headers;
      // Prism sends every header of the document, with what is shown and not saved too.
      const isSaved = rest['content-type']?.startsWith('text/csv');
      const fields = isSaved ? { ...rest, 'content-disposition': saved } : rest;
      outgoing.writeHead(answer.statusCode ?? 502, fields);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
