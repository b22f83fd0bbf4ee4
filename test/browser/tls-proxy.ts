import { request as ask } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { CERT, KEY } from '../server/self-signed.ts';

export type TlsProxy = {
  /** `https://127.0.0.1:<port>` and the path below which the target is served. */
  readonly url: string;
  readonly close: () => Promise<void>;
};

/** Serves `target` over TLS below a path, as a proxy in front of a gateway may. */
export async function startTlsProxy(target: string, below: string): Promise<TlsProxy> {
  const server = createServer({ cert: CERT, key: KEY }, (incoming, outgoing) => {
    const path = incoming.url?.startsWith(`${below}/`) ? incoming.url.slice(below.length) : undefined;
    if (path === undefined) {
      outgoing.writeHead(404).end();
      return;
    }
    const { method, headers } = incoming;
    const onward = ask(target, { path, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.once('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}${below}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
