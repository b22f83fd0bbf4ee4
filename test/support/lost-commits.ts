import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to PostgreSQL, and breaks one at the end of a transaction. Each way is for the next one whose statements match. */
export type LostCommits = {
  /** The address of a database, through here. */
  readonly url: string;
  /** The transaction is committed, and its connection breaks before the answer comes back. */
  readonly loseAnswer: (statements: RegExp) => Promise<void>;
  /** The connection breaks before PostgreSQL has the `commit`. */
  readonly loseCommit: (statements: RegExp) => Promise<void>;
  /** The connection breaks here, and PostgreSQL has the `commit` when the function is called, which resolves when it is carried out. */
  readonly delayCommit: (statements: RegExp) => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
};

type Broken = { readonly client: Socket; readonly server: Socket; readonly commit: Buffer };
type Trap = { readonly statements: RegExp; readonly spring: (broken: Broken) => void };

/** Query, with the text `commit` (protocol 3.0). */
const COMMIT = Buffer.from('Q\0\0\0\x0bcommit\0', 'latin1');
const ENDS = [COMMIT, Buffer.from('Q\0\0\0\x0drollback\0', 'latin1')];

export async function startLostCommits(databaseUrl: string): Promise<LostCommits> {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let traps: readonly Trap[] = [];
  const proxy = createServer((client) => {
    const server = connect(Number(port || 5_432), hostname);
    for (const socket of [client, server])
      sockets.add(socket.on('error', () => undefined).on('close', () => sockets.delete(socket)));
    const pass = (bytes: Buffer): void => void client.write(bytes);
    let sent = '';
    server.on('data', pass).on('close', () => client.destroy());
    client.on('close', () => server.destroy());
    client.on('data', (bytes) => {
      sent += bytes.toString('latin1');
      const sprung = COMMIT.equals(bytes) ? traps.find(({ statements }) => statements.test(sent)) : undefined;
      if (ENDS.some((end) => end.equals(bytes))) sent = '';
      if (sprung === undefined) return void server.write(bytes);
      traps = traps.filter((trap) => trap !== sprung);
      server.off('data', pass);
      client.removeAllListeners('close');
      sprung.spring({ client, server, commit: bytes });
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const trap = (statements: RegExp): Promise<Broken> =>
    new Promise((spring) => {
      traps = [...traps, { statements, spring }];
    });
  const carryOut = async ({ server, commit }: Broken): Promise<void> => {
    const answered = once(server, 'data');
    server.write(commit);
    await answered;
    server.destroy();
  };
  return {
    url: Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` })
      .href,
    loseAnswer: async (statements) => {
      const broken = await trap(statements);
      await carryOut(broken);
      broken.client.destroy();
    },
    loseCommit: async (statements) => {
      const { client, server } = await trap(statements);
      server.destroy();
      client.destroy();
    },
    delayCommit: async (statements) => {
      const broken = await trap(statements);
      broken.client.destroy();
      return () => carryOut(broken);
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
