import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes connections on to PostgreSQL, and breaks one at the end of a transaction. Each way is for the next one that is as told. */
export type LostCommits = {
  /** The address of a database, through here. */
  readonly url: string;
  /** The transaction is committed, and its connection breaks before the answer comes back. */
  readonly loseAnswer: (told: Told) => Promise<void>;
  /** The connection breaks before PostgreSQL has the `commit`. */
  readonly loseCommit: (told: Told) => Promise<void>;
  /** The connection breaks here, and PostgreSQL has the `commit` when the function is called, which resolves when it is carried out. */
  readonly delayCommit: (told: Told) => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
};

/** A transaction of an account: another account's, such as one that is repeated in the background, is let through. */
type Told = { readonly statements: RegExp; readonly accountId: string };

type Broken = { readonly client: Socket; readonly server: Socket; readonly commit: Buffer };
type Trap = Told & { readonly spring: (broken: Broken) => void };

/** Parse, with the text `commit` (protocol 3.0): it follows the last statements of a transaction. */
const COMMIT = Buffer.from('P\0\0\0\x0e\0commit\0\0\0', 'latin1');
/** Query, with the text `rollback`. */
const ROLLBACK = Buffer.from('Q\0\0\0\x0drollback\0', 'latin1');

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
      const isTold = ({ statements, accountId }: Told) => statements.test(sent) && sent.includes(accountId);
      const commitAt = bytes.indexOf(COMMIT);
      const sprung = commitAt < 0 ? undefined : traps.find(isTold);
      if (commitAt >= 0 || ROLLBACK.equals(bytes)) sent = '';
      if (sprung === undefined) return void server.write(bytes);
      server.write(bytes.subarray(0, commitAt));
      traps = traps.filter((trap) => trap !== sprung);
      server.off('data', pass);
      client.removeAllListeners('close');
      sprung.spring({ client, server, commit: bytes.subarray(commitAt) });
    });
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const trap = (told: Told): Promise<Broken> =>
    new Promise((spring) => {
      traps = [...traps, { ...told, spring }];
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
    loseAnswer: async (told) => {
      const broken = await trap(told);
      await carryOut(broken);
      broken.client.destroy();
    },
    loseCommit: async (told) => {
      const { client, server } = await trap(told);
      server.destroy();
      client.destroy();
    },
    delayCommit: async (told) => {
      const broken = await trap(told);
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
