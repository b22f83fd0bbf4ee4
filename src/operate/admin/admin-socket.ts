import { chmod, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname, join } from 'node:path';
import type { Logger } from 'pino';
import { serviceError, toServiceError } from '../../core/service-error.ts';
import { prepareDataDirectory } from '../../store/data-directory.ts';
import { isServed, adminSocketPath } from './ask-admin.ts';
import { printError, readLine, type ServeCommand } from './wire.ts';

export type AdminSocketOptions = {
  readonly dataDir: string;
  readonly serve: ServeCommand;
  readonly log: Logger;
  /** The time in which a request has to arrive. Default 5,000 ms. */
  readonly requestTimeoutMs?: number;
};

export type AdminSocket = {
  readonly path: string;
  /** Lets commands under way finish, at most 5 s, and removes the socket. */
  readonly close: () => Promise<void>;
};

const REQUEST_TIMEOUT_MS = 5_000;
const CLOSE_DEADLINE_MS = 5_000;
const MAX_REQUEST_BYTES = 64 * 1024;
/** Further connections are closed without an answer. More than a script opens at once. */
const MAX_CONNECTIONS = 1_000;

/**
 * Serves requests at `<dataDir>/admin.sock`, to this user only (mode 0600). A stale socket is replaced.
 *
 * @throws ServiceError `adminPathTooLong`; `dataDirectoryLocked` when another server answers there; `listenFailed`.
 */
export async function startAdminSocket(options: AdminSocketOptions): Promise<AdminSocket> {
  const { dataDir } = options;
  const path = adminSocketPath(dataDir);
  if (await isServed(dataDir)) {
    throw serviceError('dataDirectoryLocked', {
      path: dataDir,
      holder: `the server that answers at ${path}`,
    });
  }
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
    void answer(socket, options);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const inode = await listenIn(dataDir, server, path).catch((error: unknown) => {
    server.close();
    const reason = error instanceof Error ? error.message : String(error);
    throw serviceError('listenFailed', { address: path, reason }, error);
  });
  return { path, close: () => close(server, connections, { path, inode }) };
}

async function listenIn(dataDir: string, server: Server, path: string): Promise<number> {
  await prepareDataDirectory(dataDir);
  return listenAt(server, path);
}

/**
 * The socket is created in a directory that only this user can enter, restricted to 0600 and then moved into place: other users can
 * never connect, and an old socket is replaced in one step. The draft's path is as long as that of `admin.sock`.
 */
async function listenAt(server: Server, path: string): Promise<number> {
  const room = await mkdtemp(join(dirname(path), '.a'));
  try {
    const draft = join(room, 's');
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      // Workers share listeners unless they are exclusive: this one belongs to its process.
      server.listen({ path: draft, exclusive: true }, () => {
        server.off('error', reject);
        resolve();
      });
    });
    await chmod(draft, 0o600);
    const { ino } = await stat(draft);
    await rename(draft, path);
    return ino;
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

/** Never rejects. A client that disconnects, or sends no request in time, gets no answer. */
async function answer(socket: Socket, options: AdminSocketOptions): Promise<void> {
  const { serve, log, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  socket.on('error', (error) => log.debug({ err: error }, 'an admin connection failed'));
  const timer = setTimeout(() => socket.destroy(), requestTimeoutMs);
  try {
    const line = await readLine(socket, MAX_REQUEST_BYTES);
    clearTimeout(timer);
    if (line === undefined) return;
    const result = await serve(parseLine(line));
    socket.end(`${JSON.stringify({ result })}\n`);
  } catch (thrown) {
    const error = toServiceError(thrown);
    if (error.code === 'internalError' && !socket.destroyed)
      log.error({ err: error.cause }, 'an admin request failed');
    socket.end(printError(error));
  } finally {
    clearTimeout(timer);
    socket.resume();
  }
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw serviceError('invalidCommand', { reason: 'expected one line of JSON' }, error);
  }
}

type SocketFile = { readonly path: string; readonly inode: number };

async function close(
  server: Server,
  connections: ReadonlySet<Socket>,
  { path, inode }: SocketFile,
): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const found = await stat(path).catch(() => undefined);
  if (found?.ino === inode) await rm(path, { force: true });
  const timer = setTimeout(() => {
    for (const socket of connections) socket.destroy();
  }, CLOSE_DEADLINE_MS);
  await closed;
  clearTimeout(timer);
}
